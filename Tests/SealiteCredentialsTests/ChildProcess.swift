import Foundation

/// A child that ends with this process, whatever happens to it: its supervisor holds a pipe that closes then.
final class ChildProcess {
    private let process = Process()
    private let lifeline = Pipe()

    /// Starts a program with an environment of its own. `cleanup` is a shell command for when it has ended.
    init(_ arguments: [String], environment: [String: String], input: String = "", cleanup: String = ":") throws {
        let script = """
            printf %s "$CHILD_INPUT" | { unset CHILD_INPUT CHILD_CLEANUP; exec "$@" >/dev/null 2>&1; } &
            child=$!
            cat >/dev/null
            kill -9 $child 2>/dev/null
            wait $child 2>/dev/null
            eval "$CHILD_CLEANUP"
            """
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = ["-c", script, "bash"] + arguments
        process.environment = environment.merging(["CHILD_INPUT": input, "CHILD_CLEANUP": cleanup]) { $1 }
        process.standardInput = lifeline
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    /// Kills the program and waits until it is gone.
    func kill() {
        try? lifeline.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}

/// What a program that ran to its end gave.
struct CommandResult {
    let status: Int32
    let output: Data
    let errors: String
}

/// Runs a program to its end.
func run(_ arguments: [String], environment: [String: String], input: Data = Data()) throws -> CommandResult {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = arguments
    process.environment = environment
    let (stdin, stdout, stderr) = (Pipe(), Pipe(), Pipe())
    process.standardInput = stdin
    process.standardOutput = stdout
    process.standardError = stderr
    try process.run()
    stdin.fileHandleForWriting.write(input)
    try stdin.fileHandleForWriting.close()
    let output = stdout.fileHandleForReading.readDataToEndOfFile()
    let errors = String(decoding: stderr.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return CommandResult(status: process.terminationStatus, output: output, errors: errors)
}

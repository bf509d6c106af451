internal import Foundation

/// A program that runs beside a test and ends with this process, whatever happens to it: its supervisor holds a pipe that
/// closes then.
package final class SupervisedProcess {
    private let process = Process()
    private let lifeline = Pipe()

    /// Starts a program with an environment of its own. `output` is a file for what it prints; `cleanup` is a shell command
    /// for when it has ended.
    package init(
        _ arguments: [String], environment: [String: String], input: String = "", output: String? = nil,
        cleanup: String = ":"
    ) throws {
        let script = """
            printf %s "$CHILD_INPUT" | { unset CHILD_INPUT CHILD_CLEANUP; exec "$@" >"$CHILD_OUTPUT" 2>&1; } &
            child=$!
            cat >/dev/null
            kill -9 $child 2>/dev/null
            wait $child 2>/dev/null
            eval "$CHILD_CLEANUP"
            """
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = ["-c", script, "bash"] + arguments
        let own = ["CHILD_INPUT": input, "CHILD_CLEANUP": cleanup, "CHILD_OUTPUT": output ?? "/dev/null"]
        process.environment = environment.merging(own) { $1 }
        process.standardInput = lifeline
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    deinit { kill() }

    /// Kills the program and waits until it is gone.
    package func kill() {
        try? lifeline.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}

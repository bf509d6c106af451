import Foundation

/// The result of a program that has ended.
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

internal import Foundation

/// A program that a test talks to line by line.
///
/// Used from one thread at a time. Killed when the test lets go of it.
package final class ChildProcess {
    /// An unexpected action of a child process.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) { self.description = description }
    }

    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var buffer: [UInt8] = []

    /// Starts a program; its errors go to ours.
    package init(_ program: String, _ arguments: [String] = [], environment: [String: String]? = nil) throws {
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        if let environment { process.environment = environment }
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    deinit {
        if process.isRunning { kill() }
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// The folder that the test program itself lies in, and everything else that was built with it.
    package static var buildFolder: String {
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path
    }

    /// Runs a program to its end on a script, and returns its exit code and everything it printed, errors included.
    package static func run(
        _ program: String, _ arguments: [String], input script: String = "", environment: [String: String]? = nil
    ) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        if let environment { process.environment = environment }
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        process.standardError = output
        try process.run()
        input.fileHandleForWriting.write(Data(script.utf8))
        try input.fileHandleForWriting.close()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: bytes, as: UTF8.self))
    }

    /// Sends a line.
    package func send(_ line: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
    }

    /// The next line the program prints; nil at its end.
    ///
    /// - Throws: `Failure` if it says nothing for `waitingLimit`.
    package func line() throws -> String? {
        while true {
            if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                defer { buffer.removeSubrange(...end) }
                return String(decoding: buffer[..<end], as: UTF8.self)
            }
            let descriptor = output.fileHandleForReading.fileDescriptor
            var asked = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard unsafe poll(&asked, 1, CInt(waitingLimit / .milliseconds(1))) > 0 else {
                throw Failure(description: "the child said nothing for \(waitingLimit)")
            }
            var piece = [UInt8](repeating: 0, count: 1 << 14)
            let count = unsafe read(descriptor, &piece, piece.count)
            guard count > 0 else { return nil }
            buffer += piece[..<count]
        }
    }

    /// Ends the program at once, as a crash would.
    package func kill() { _ = Foundation.kill(process.processIdentifier, SIGKILL) }

    /// Waits for the end. A status above 128 is a signal's number + 128.
    @discardableResult
    package func wait() -> Int32 {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
        return process.terminationReason == .uncaughtSignal
            ? process.terminationStatus + 128 : process.terminationStatus
    }
}

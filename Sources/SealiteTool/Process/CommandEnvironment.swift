import Glibc

/// Detects, for a long-running command, that the database's file was replaced or that the reader of its output has
/// ended. Neither is reported by the system, so both are polled.
struct CommandEnvironment: Sendable {
    private let path: String
    private let identity: Identity

    /// The identity of the file at a path.
    private struct Identity: Equatable {
        let device: UInt64
        let number: UInt64

        init?(_ path: String) {
            var status = stat()
            guard unsafe stat(path, &status) == 0 else { return nil }
            (device, number) = (UInt64(status.st_dev), UInt64(status.st_ino))
        }
    }

    /// Records the identity of the file at a path, which the command has open.
    ///
    /// - Throws: an error if the file no longer exists.
    init(_ path: String) throws(ToolError) {
        guard let identity = Identity(path) else { throw Self.replaced(path) }
        (self.path, self.identity) = (path, identity)
    }

    /// Runs an operation until it ends, or until the file is replaced, which is an error. If the reader of the output
    /// disappears, the process ends as it would at a write.
    func watched(_ work: @escaping @Sendable () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await work() }
            group.addTask { try await look() }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    /// Polls every half second until the task is cancelled. Throws an error if the file was replaced.
    private func look() async throws {
        while true {
            if Self.readerIsGone { Signals.end(by: SIGPIPE) }
            guard Identity(path) == identity else { throw Self.replaced(path) }
            do { try await Task.sleep(for: .milliseconds(500)) } catch { return }
        }
    }

    /// A Boolean value that says whether the other end of standard output, a pipe or terminal, was closed.
    private static var readerIsGone: Bool {
        var descriptor = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        return unsafe poll(&descriptor, 1, 0) > 0 && descriptor.revents & Int16(POLLERR | POLLHUP) != 0
    }

    private static func replaced(_ path: String) -> ToolError {
        ToolError(
            .inputOutput, code: "file-replaced",
            "\"\(path)\" is no longer the file that the command opened: it was replaced, renamed or removed, or can't be reached",
            hint: "start the command again after the database is back at its path")
    }
}

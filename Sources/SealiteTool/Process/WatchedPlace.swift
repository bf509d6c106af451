import Glibc

/// What a command that goes on until it is interrupted works between: the database's file and the reader of its results. Neither tells that it went away.
struct WatchedPlace: Sendable {
    private let path: String
    private let identity: Identity

    /// The file that a path leads to.
    private struct Identity: Equatable {
        let device: UInt64
        let number: UInt64

        init?(_ path: String) {
            var status = stat()
            guard unsafe stat(path, &status) == 0 else { return nil }
            (device, number) = (UInt64(status.st_dev), UInt64(status.st_ino))
        }
    }

    /// The place as it is now, with the file open.
    ///
    /// - Throws: where there is no file any more.
    init(_ path: String) throws(ToolError) {
        guard let identity = Identity(path) else { throw Self.replaced(path) }
        (self.path, self.identity) = (path, identity)
    }

    /// Does work until it is done, or until the file is another one, which is an error. A reader that went away ends the process, as a write would have.
    func watched(_ work: @escaping @Sendable () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await work() }
            group.addTask { try await look() }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    /// Looks now and then, until the task is cancelled.
    private func look() async throws {
        while true {
            if Self.readerIsGone { Signals.end(by: SIGPIPE) }
            guard Identity(path) == identity else { throw Self.replaced(path) }
            do { try await Task.sleep(for: .milliseconds(500)) } catch { return }
        }
    }

    /// A Boolean value that says whether nobody can read what is written to standard output: the other end of the pipe or terminal was closed.
    private static var readerIsGone: Bool {
        var descriptor = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        return unsafe poll(&descriptor, 1, 0) > 0 && descriptor.revents & Int16(POLLERR | POLLHUP) != 0
    }

    private static func replaced(_ path: String) -> ToolError {
        ToolError(
            .inputOutput, code: "file-replaced", "\"\(path)\" was replaced, renamed or removed while it was watched",
            hint: "start the command again when the database is in its place")
    }
}

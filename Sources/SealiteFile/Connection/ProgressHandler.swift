import CSQLite
import Synchronization

/// Decides, while SQLite runs statements of a connection, whether they are to end. SQLite knows one handler for a
/// connection; several of these can be active at the same time, and the last one that began ends first.
/// <https://sqlite.org/c3ref/progress_handler.html>
@safe package final class ProgressHandler {
    private let handle: OpaquePointer
    private let interval: CInt
    private let ends: (_ steps: Int) -> Bool
    /// The handler that was active when this one began.
    private let outer: ProgressHandler?

    // A handler is used only by the thread that uses its connection.
    private struct Active: @unchecked Sendable { let handler: ProgressHandler }
    /// The handler of each connection that began last, by the address of the connection.
    private static let active = Mutex<[UInt: Active]>([:])

    /// Begins to ask on a connection, which stays open until ``end()`` is called on the thread that uses it.
    ///
    /// - Parameters:
    ///   - handle: the connection.
    ///   - interval: the number of steps of SQLite's virtual machine between two calls of `ends`; fewer if the handler
    ///     that is already active needs more calls.
    ///   - ends: is passed the number of steps since its last call, and returns true if the running statement is to be
    ///     interrupted.
    @unsafe
    package init(on handle: OpaquePointer, every interval: CInt, _ ends: @escaping (_ steps: Int) -> Bool) {
        outer = Self.active.withLock { $0[UInt(bitPattern: handle)] }?.handler
        assert(interval > 0, "SQLite takes 0 for no handler")
        unsafe self.handle = unsafe handle
        self.interval = min(interval, outer?.interval ?? interval)
        self.ends = ends
        set(self)
    }

    /// Stops asking; the handler that was active before is active again.
    package func end() {
        assert(
            Self.active.withLock { $0[unsafe UInt(bitPattern: handle)] }?.handler === self,
            "another handler began later")
        withExtendedLifetime(self) { set(outer) }
    }

    /// Runs `body`, whose statements a handler may interrupt; see ``init(on:every:_:)``.
    ///
    /// - Returns: the result of `body`.
    /// - Throws: the errors of `body`, of which one may be that of an interrupted statement.
    @unsafe
    package static func run<Result, Failure: Error>(
        on handle: OpaquePointer?, every interval: CInt, _ ends: @escaping (_ steps: Int) -> Bool,
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard let handle = unsafe handle else { return try body() }
        let handler = unsafe ProgressHandler(on: handle, every: interval, ends)
        defer { handler.end() }
        return try body()
    }

    private func set(_ handler: ProgressHandler?) {
        Self.active.withLock { $0[unsafe UInt(bitPattern: handle)] = handler.map { Active(handler: $0) } }
        guard let handler else { return unsafe sqlite3_progress_handler(handle, 0, nil, nil) }
        unsafe sqlite3_progress_handler(
            handle, handler.interval,
            { context in
                guard let context = unsafe context else { return 0 }
                return unsafe Unmanaged<ProgressHandler>.fromOpaque(context).takeUnretainedValue().advance() ? 1 : 0
            }, Unmanaged.passUnretained(handler).toOpaque())
    }

    private func advance() -> Bool {
        var handler: ProgressHandler? = self
        var isEnd = false
        while let current = handler {
            isEnd = current.ends(Int(interval)) || isEnd
            handler = current.outer
        }
        return isEnd
    }
}

/// Counts the steps of SQLite's virtual machine that the statements of a connection take, down to 0.
package final class StepCounter {
    /// The number of steps that are counted at a time.
    private static let interval: CInt = 100_000
    private var left: Int

    /// Creates a counter of `steps` steps.
    package init(_ steps: Int) { left = steps }

    /// A Boolean value that says whether statements were interrupted because they took more steps.
    package var isExhausted: Bool { left < 0 }

    /// Runs `body`, and interrupts its statements when they have taken more steps together.
    @unsafe
    package func run<Result, Failure: Error>(
        on handle: OpaquePointer?, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe ProgressHandler.run(on: handle, every: Self.interval, { self.count($0) }, body)
    }

    private func count(_ steps: Int) -> Bool {
        assert(steps > 0, "SQLite asks after some steps")
        left -= steps
        return left < 0
    }
}

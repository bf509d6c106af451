internal import Synchronization

/// Sees every operation on its way to a file system: counts it, records it, fails it.
package final class Tap: Sendable {
    private struct State {
        var isRecording = false
        var operations: [FileOperation] = []
        var fault: Fault?
        var count = 0
        var strikes = 0
        var pause: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// Starts to record from nothing.
    package func record() {
        state.withLock {
            $0.isRecording = true
            $0.operations = []
        }
    }

    /// Stops to record, and hands out what passed since `record()`.
    package func finishRecording() -> [FileOperation] {
        state.withLock { state in
            state.isRecording = false
            defer { state.operations = [] }
            return state.operations
        }
    }

    /// Arms a fault, counting operations from 0.
    package func arm(_ fault: Fault) {
        state.withLock {
            $0.fault = fault
            $0.count = 0
            $0.strikes = 0
        }
    }

    /// Lets everything pass again.
    package func disarm() {
        state.withLock { $0.fault = nil }
    }

    /// The number of operations of the fault's kinds since it was armed.
    package var count: Int { state.withLock { $0.count } }

    /// The number of operations that the fault made fail.
    package var strikes: Int { state.withLock { $0.strikes } }

    /// A Boolean value that says whether a failing write stores half of its bytes.
    var tearsWrites: Bool { state.withLock { $0.fault?.style == .full } }

    /// Runs `work` once inside the next checkpoint of a connection that has read an older state of the log before, when
    /// that checkpoint has read the index of the log and copied nothing. There SQLite calls `xUnfetch` on the database file.
    package func pauseNextCheckpoint(_ work: @escaping @Sendable () -> Void) {
        state.withLock { $0.pause = work }
    }

    func passUnfetch(_ file: FileKind) {
        guard file == .main else { return }
        // Outside the lock: the work may use the same file system.
        state.withLock { $0.pause.take() }?()
    }

    func pass(
        _ kind: FileOperation.Kind, _ file: FileKind, _ path: String?, offset: Int64 = 0, byteCount: Int = 0,
        bytes: @autoclosure () -> [UInt8] = []
    ) throws(ResultCode) {
        let failure = state.withLock { state -> ResultCode? in
            if state.isRecording {
                state.operations.append(
                    FileOperation(
                        kind: kind, file: file, path: path, offset: offset, byteCount: byteCount, bytes: bytes()))
            }
            guard let fault = state.fault, fault.kinds.contains(kind) else { return nil }
            state.count += 1
            guard fault.strikes(state.count) else { return nil }
            state.strikes += 1
            return fault.failure(of: kind)
        }
        if let failure { throw failure }
    }
}

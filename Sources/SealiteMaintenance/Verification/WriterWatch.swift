import CSQLite
import Glibc
import SealiteFile
import Synchronization

/// Looks for a writer that a read lock keeps waiting, or is about to: one that holds SQLite's RESERVED lock on a database
/// in rollback-journal mode.
struct WriterWatch {
    private let place: Place

    /// The time between two looks, in microseconds.
    private static let interval: UInt32 = 5_000

    init(_ database: SealedDatabase) throws(SealedFileError) {
        place = Place(try BaseHandle(database.path, vfs: database.vfs.base, flags: SQLITE_OPEN_READONLY))
    }

    /// A Boolean value that says whether there is such a writer now.
    var hasWriter: Bool { place.hasWriter }

    /// Runs statements of a connection, which are interrupted as soon as there is a writer.
    ///
    /// - Returns: the result of `body`; nil if there was a writer.
    /// - Throws: the errors of `body`, unless there was a writer.
    func whileNobodyWaits<R>(
        _ connection: RawConnection, _ body: () throws(SealedFileError) -> R
    ) throws(SealedFileError) -> R? {
        guard !hasWriter else { return nil }
        let target = Target(connection)
        Offload.start { [place] in
            while target.isOpen, !place.hasWriter { usleep(Self.interval) }
            target.interrupt()
        }
        let result = Result { () throws(SealedFileError) in try body() }
        return target.close() ? nil : try result.get()
    }

    // Sendable: the lock guards the handle.
    private final class Place: @unchecked Sendable {
        private let handle: BaseHandle
        private let gate = Mutex<Void>(())

        init(_ handle: BaseHandle) { self.handle = handle }

        var hasWriter: Bool {
            gate.withLock { _ in
                var isReserved: CInt = 0
                return unsafe handle.file.checkReservedLock(&isReserved) == SQLITE_OK && isReserved != 0
            }
        }
    }

    /// A connection that another thread may interrupt until `close()`.
    // Sendable: SQLite may be interrupted from any thread while the connection is open, and the lock guards the rest.
    private final class Target: @unchecked Sendable {
        private enum State { case open, interrupted, closed }

        private let connection: RawConnection
        private let state = Mutex(State.open)

        init(_ connection: RawConnection) { self.connection = connection }

        var isOpen: Bool { state.withLock { $0 == .open } }

        func interrupt() {
            state.withLock { state in
                guard state == .open else { return }
                unsafe sqlite3_interrupt(connection.handle)
                state = .interrupted
            }
        }

        /// Ends interruptions; returns whether there was one.
        func close() -> Bool {
            state.withLock { state in
                defer { state = .closed }
                return state == .interrupted
            }
        }
    }
}

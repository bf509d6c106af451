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
            while target.isOpen {
                if place.hasWriter { target.noteWriter() }
                target.interruptIfNoted()
                usleep(Self.interval)
            }
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
        private let connection: RawConnection
        private let state = Mutex((isOpen: true, hasWriter: false))

        init(_ connection: RawConnection) { self.connection = connection }

        var isOpen: Bool { state.withLock(\.isOpen) }

        func noteWriter() { state.withLock { $0.hasWriter = true } }

        /// Interrupts what runs, if there was a writer. It is called again and again, since SQLite forgets an interruption that
        /// comes between two statements.
        func interruptIfNoted() {
            state.withLock { state in
                if state.isOpen, state.hasWriter { unsafe sqlite3_interrupt(connection.handle) }
            }
        }

        /// Ends interruptions; returns whether there was a writer.
        func close() -> Bool {
            state.withLock { state in
                state.isOpen = false
                return state.hasWriter
            }
        }
    }
}

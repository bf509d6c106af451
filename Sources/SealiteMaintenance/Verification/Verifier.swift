import CSQLite
import Glibc
public import SealiteFile

extension SealedDatabase {
    /// Authenticates the whole database, that is the header, every page, every WAL frame and the rollback journal, then
    /// runs SQLite's integrity check. Continues after damage.
    ///
    /// The verification holds a read transaction while it runs, as any long query does, and its memory use doesn't grow
    /// with the database. In rollback-journal mode it ends the transaction within some milliseconds after a writer has
    /// begun: it goes on without a lock, and the integrity check reads a copy, a sealed file without a name beside the
    /// database. Then writers wait only for the copying's last pass, unless there is no room for the copy or pages look
    /// damaged. It makes the same repairs as any writable connection: it rewrites a stale header copy, rolls
    /// back a hot journal, and completes the unfinished batch of a key rotation. The WAL isn't changed.
    ///
    /// - Parameter progress: called on this thread, about once per mebibyte read.
    /// - Returns: a report: the findings, the states of the header, log and journal, and counts of pages.
    /// - Throws: `SealedFileError` if the file can't be read at all: `busy`, `permission`, `noSuchFile`, `locked`,
    ///   `unlockAgain`, `fileReplaced`, `notSealed`, `inputOutput`, and `damagedHeader` if no header copy can be used.
    ///   Other damage is reported, not thrown.
    public func verify(
        progress: (VerificationProgress) -> Void = { _ in }
    ) throws(SealedFileError) -> VerificationReport {
        try verify(isStopped: { false }, progress: progress)
    }

    /// Verifies the database as ``verify(progress:)`` does, until `isStopped` returns true.
    ///
    /// - Throws: `cancelled` if it did; then no file that the verification created is left beside the database.
    package func verify(
        isStopped: @escaping () -> Bool, progress: (VerificationProgress) -> Void
    ) throws(SealedFileError) -> VerificationReport {
        let sidecars = Sidecars(self)
        defer { sidecars.removeNew() }
        let verifier = Verifier(self, isStopped: isStopped)
        defer { verifier.end() }
        return try verifier.run(progress)
    }
}

/// One verification of all files of a database.
private final class Verifier {
    private let database: SealedDatabase
    private let ring: KeyRing
    private var findings = FindingList()
    private var pages = PageSummary()
    private var wal: WALSummary?
    private var journal: JournalSummary?
    /// The connection that holds the read transaction; nil if SQLite can't open the database.
    private var connection: RawConnection?
    private let isStopped: () -> Bool
    /// Looks for writers that wait for the read transaction; nil if it makes none wait, as in WAL mode.
    private var watch: WriterWatch?
    /// A Boolean value that says whether the read transaction has ended early, because a writer was waiting.
    private var hasGivenWay = false

    init(_ database: SealedDatabase, isStopped: @escaping () -> Bool) {
        self.database = database
        self.isStopped = isStopped
        ring = database.ring
    }

    /// Closes the connection.
    func end() { connection = nil }

    /// Throws `cancelled` if the verification is to stop.
    private func requireGoingOn() throws(VFSFailure) {
        guard !isStopped() else { throw VFSFailure(.verificationCancelled) }
    }

    func run(_ progress: (VerificationProgress) -> Void) throws(SealedFileError) -> VerificationReport {
        let region = try BaseHandle.readHeader(database.path, vfs: database.vfs.base)
        let header = try checkHeader(region)
        try checkJournal()
        try mend(region, header)
        finishRotationBatch(region)
        try beginReading()
        let handle = try lockedHandle()
        let scan = try scanWAL(handle, progress)
        try scanPages(handle, scan, progress)
        let integrity = try checkIntegrity(handle, progress)
        return VerificationReport(
            path: database.path, header: header, pages: pages, wal: wal, journal: journal, integrity: integrity,
            findings: findings.all)
    }

    private var hasDamage: Bool { findings.all.contains { $0.severity == .damage } }

    // MARK: Header

    private func checkHeader(_ region: HeaderRegion) throws(SealedFileError) -> PublicHeader {
        do throws(SealedFileError) {
            try ring.follow(region)
        } catch {
            guard error.code == .tamperedHeader else { throw error }
        }
        guard region.content.databaseID == ring.databaseID else { throw .fileReplaced(database.path) }
        let tampering = try region.tampering(under: try ring.masterKey())
        if let tampering {
            findings.add(
                .damage, .tamperedHeader, .header, tampering.copy...tampering.copy,
                "was changed by someone without the key: \(tampering.reason)")
        }
        return PublicHeader(region, tampered: tampering?.copy)
    }

    /// Rewrites the stale or damaged header copy, under SQLite's write lock. Doesn't write if a copy was tampered with
    /// or the journal is refused, since a person must then decide first.
    private func mend(_ region: HeaderRegion, _ header: PublicHeader) throws(SealedFileError) {
        guard let copy = region.staleCopy, header.copies[copy] != .tampered else { return }
        let what = header.copies[copy] == .damaged ? "was damaged" : "was older than the other header copy"
        guard !header.copies.contains(.tampered), journal?.state != .refused else {
            return findings.add(
                .damage, .damagedHeader, .header, copy...copy,
                "\(what), and wasn't rewritten, because the other header copy was changed without the key or the rollback journal "
                    + "can't be used")
        }
        do throws(SealedFileError) {
            try quietConnection().underWriteLock(.headerChange { (_, _) throws(SealedFileError) in nil })
            findings.add(.note, .damagedHeader, .header, copy...copy, "\(what), and was rewritten")
        } catch {
            let isBusy = error.code == .busy
            findings.add(
                isBusy ? .note : .damage, .damagedHeader, .header, copy...copy,
                isBusy
                    ? "\(what), and wasn't rewritten, because another connection holds a lock; the next writer rewrites it"
                    : "\(what), and can't be rewritten: \(error.reason)")
        }
    }

    /// Completes the batch of pages of an interrupted key rotation, as any writer would. Pages that the batch wrote in
    /// part aren't damage, because their images are in the rotation's sidecar. If the batch can't be completed, such
    /// pages are reported as damaged.
    private func finishRotationBatch(_ region: HeaderRegion) {
        guard region.content.rotation != nil, !hasDamage else { return }
        try? quietConnection().excludingDatabaseWriters(
            FileTask { (_, _) throws(SealedFileError) in }, timeout: .seconds(1))
    }

    // MARK: Journal

    /// Checks the journal before any connection can roll it back.
    private func checkJournal() throws(SealedFileError) {
        guard let journalHandle = try database.sidecar("-journal", kind: SQLITE_OPEN_MAIN_JOURNAL) else { return }
        let main = try BaseHandle(database.path, vfs: database.vfs.base, flags: SQLITE_OPEN_READONLY)
        var isReserved: CInt = 0
        try SealedFileError.mapping { () throws(VFSFailure) in
            unsafe try check(main.file.checkReservedLock(&isReserved))
        }
        guard isReserved == 0 else {
            journal = JournalSummary(state: .inUse)
            return
        }
        let serial = try database.serialOfPageOne(main)
        var scan = JournalCheck(base: journalHandle.file, ring: ring, serialOnDisk: serial)
        try SealedFileError.mapping { () throws(VFSFailure) in try scan.run() }
        journal = scan.summary
        findings.add(contentsOf: scan.findings)
    }

    // MARK: Locks

    /// Opens a connection that doesn't checkpoint the log when it closes: verification may find the log damaged. Without
    /// a log there is nothing to checkpoint, and closing removes the empty one that the connection makes.
    private func quietConnection() throws(SealedFileError) -> RawConnection {
        let hasLog = try database.sidecar("-wal", kind: SQLITE_OPEN_WAL) != nil
        let connection = try database.connect()
        guard hasLog else { return connection }
        _ = unsafe sealite_configure(connection.handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        return connection
    }

    /// Begins a read transaction, so that the verification reads one snapshot of the database, and rolls back a hot
    /// journal. Does nothing if the journal is damaged or stale.
    private func beginReading() throws(SealedFileError) {
        guard journal?.state != .refused else { return }
        do throws(SealedFileError) {
            let connection = try quietConnection()
            try connection.execute("BEGIN")
            _ = try connection.integer("PRAGMA schema_version")
            self.connection = connection
            if journal?.state == .hot { journal?.wasRolledBack = true }
            if !hasGivenWay, try connection.text("PRAGMA journal_mode") != "wal" { watch = try WriterWatch(database) }
        } catch {
            guard ![.busy, .locked, .unlockAgain, .fileReplaced].contains(error.code) else { throw error }
            let isOfThePlace = [.permission, .diskFull].contains(error.code)
            findings.add(
                isOfThePlace ? .note : .damage, error.code, .content, nil,
                "SQLite can't read the database: \(error.reason)")
        }
    }

    /// Opens a handle of the base VFS and takes a SHARED lock on the file, which excludes writers in rollback-journal
    /// mode even if SQLite couldn't begin a read transaction.
    private func lockedHandle() throws(SealedFileError) -> BaseHandle {
        let handle = try BaseHandle(database.path, vfs: database.vfs.base, flags: SQLITE_OPEN_READONLY)
        try lock(handle)
        return handle
    }

    private func lock(_ handle: BaseHandle) throws(SealedFileError) {
        var code = handle.file.lock(SQLITE_LOCK_SHARED)
        for _ in 0..<500 where code == SQLITE_BUSY {
            sqlite3_sleep(10)
            code = handle.file.lock(SQLITE_LOCK_SHARED)
        }
        guard code == SQLITE_OK else { throw SealedFileError(sqlite: code, doing: "locking \"\(database.path)\"") }
    }

    /// Ends the read transaction and the lock for a writer.
    private func giveWay(_ handle: BaseHandle) {
        (connection, watch, hasGivenWay) = (nil, nil, true)
        _ = handle.file.unlock(SQLITE_LOCK_NONE)
    }

    // MARK: Log and pages

    private func scanWAL(
        _ main: BaseHandle, _ progress: (VerificationProgress) -> Void
    ) throws(SealedFileError) -> WALScan? {
        guard let handle = try database.sidecar("-wal", kind: SQLITE_OPEN_WAL) else { return nil }
        let scan = WALScan(handle: handle, main: main, ring: ring)
        try SealedFileError.mapping { () throws(VFSFailure) in
            try scan.run { (done, total) throws(VFSFailure) in
                progress(VerificationProgress(phase: .wal, done: done, total: total))
                try self.requireGoingOn()
            }
        }
        wal = scan.summary
        findings.add(contentsOf: scan.findings)
        return scan
    }

    private func scanPages(
        _ handle: BaseHandle, _ wal: WALScan?, _ progress: (VerificationProgress) -> Void
    ) throws(SealedFileError) {
        func scanned() throws(SealedFileError) -> PageScan {
            let scan = PageScan(database, handle: handle, wal: wal)
            try SealedFileError.mapping { () throws(VFSFailure) in
                try scan.run { (done, total) throws(VFSFailure) in
                    progress(VerificationProgress(phase: .pages, done: done, total: total))
                    try self.requireGoingOn()
                    if watch?.hasWriter == true { giveWay(handle) }
                }
            }
            return scan
        }
        var scan = try scanned()
        if hasGivenWay, scan.findings.all.contains(where: { $0.severity == .damage }) {
            // Pages that were written meanwhile may look damaged: only a lock tells.
            try lock(handle)
            defer { _ = handle.file.unlock(SQLITE_LOCK_NONE) }
            scan = try scanned()
        }
        pages = scan.summary
        findings.add(contentsOf: scan.findings)
    }

    // MARK: Content

    private func checkIntegrity(
        _ handle: BaseHandle, _ progress: (VerificationProgress) -> Void
    ) throws(SealedFileError) -> IntegrityOutcome {
        guard connection != nil || hasGivenWay, pages.damagedCount == 0 else { return .skipped }
        progress(VerificationProgress(phase: .integrity, done: 0, total: 0))
        let found = if let found = try checkInPlace(handle) { found } else { try checkCopy(progress) }
        findings.add(contentsOf: found)
        if found.all.contains(where: { $0.severity == .damage }) { return .failed }
        return found.all.isEmpty ? .ok : .skipped
    }

    /// Runs the check under the lock; returns nil if that was given up for a writer.
    private func checkInPlace(_ handle: BaseHandle) throws(SealedFileError) -> FindingList? {
        guard let connection else { return nil }
        let check = IntegrityCheck(connection: connection, pageSize: database.pageSize, isStopped: isStopped)
        guard let watch else { return try check.run() }
        let found = try watch.whileNobodyWaits(connection) { () throws(SealedFileError) in try check.run() }
        if found == nil { giveWay(handle) }
        return found
    }

    private func checkCopy(_ progress: (VerificationProgress) -> Void) throws(SealedFileError) -> FindingList {
        do throws(SealedFileError) {
            return try database.checkCopy(isStopped: isStopped, progress)
        } catch {
            switch error.code {
            case .cancelled: throw .verificationCancelled
            case .damagedPage:
                var found = FindingList()
                found.add(.damage, error.code, .content, nil, "can't be copied for its check: \(error.reason)")
                return found
            case .diskFull, .permission: break
            default: throw error
            }
            try beginReading()
            guard let connection else { return FindingList() }
            findings.add(
                .note, error.code, .content, nil,
                "was checked under a read lock, for which writers have to wait, because a copy for the check can't be made: "
                    + error.reason)
            return try IntegrityCheck(connection: connection, pageSize: database.pageSize, isStopped: isStopped).run()
        }
    }
}

extension SealedFileError {
    fileprivate static let verificationCancelled = SealedFileError(.cancelled, "the verification was cancelled")
}

import CSQLite
import Glibc
import SealiteCrypto

/// Reseals every page of the old epoch, batch by batch under SQLite's own locks, then removes the old keys from the
/// header.
final class RotationWorker {
    private let database: SealedDatabase
    private let connection: RawConnection
    private let busyTimeout: Duration
    private var resealed = 0
    /// The serial of the last batch. Starts at a random number, so that a reader doesn't mistake a batch for one of an
    /// earlier run.
    private var serial = UInt64.random(in: 0..<1 << 62)
    /// The number of pages per batch, adapted so that a batch holds the lock for `pace.hold`.
    private var batchPageCount: Int

    private let pace: RotationPace

    /// The number of WAL frames above which the rotation runs a checkpoint, since its connection's auto-checkpoint is
    /// off.
    private static let frameLimit: Int64 = 1000

    init(database: SealedDatabase, connection: RawConnection, busyTimeout: Duration, pace: RotationPace) {
        self.pace = pace
        self.database = database
        self.connection = connection
        self.busyTimeout = busyTimeout
        batchPageCount = max(1, pace.firstBatchByteCount / database.pageSize)
    }

    func run(
        wasResumed: Bool, progress: (RotationProgress) -> KeyRotation.Control
    ) throws(SealedFileError) -> RotationReport {
        var pageCount = 0
        var isDone = false
        repeat {
            pageCount = try resealAll(progress)
            try report(progress, .waitingForReaders, pageCount, pageCount)
            isDone = try finish()
            if !isDone { usleep(20_000) }
        } while !isDone
        _ = progress(
            RotationProgress(stage: .done, pagesDone: pageCount, pageCount: pageCount, pageSize: database.pageSize))
        return RotationReport(
            pagesResealed: resealed, pageCount: pageCount, wasResumed: wasResumed, epoch: database.ring.currentEpoch)
    }

    private func report(
        _ progress: (RotationProgress) -> KeyRotation.Control, _ stage: RotationProgress.Stage, _ done: Int,
        _ count: Int
    ) throws(SealedFileError) {
        let control = progress(
            RotationProgress(stage: stage, pagesDone: done, pageCount: count, pageSize: database.pageSize))
        guard control == .stop else { return }
        throw SealedFileError(
            .cancelled,
            "the key rotation of \"\(database.path)\" was stopped; \(FileRemedy.resumeRotation.hint)")
    }

    // MARK: Pages

    /// Reseals the pages of old epochs in one pass over the file. Returns the number of pages in the file.
    private func resealAll(_ progress: (RotationProgress) -> KeyRotation.Control) throws(SealedFileError) -> Int {
        var next: UInt32 = 1
        var pageCount = 0
        repeat {
            var batch = BatchResult(nextPage: next, pageCount: pageCount, resealed: 0)
            let (first, limit) = (next, batchPageCount)
            serial += 1
            let number = serial
            let collecting = pace.hold / 2
            let task = FileTask { (file, sealed) throws(SealedFileError) in
                batch = try SealedFileError.mapping { () throws(VFSFailure) in
                    try RotationBatch(
                        file: file, sealed: sealed, first: first, limit: limit, patience: collecting, serial: number
                    ).run()
                }
            }
            let start = Self.now()
            try connection.excludingDatabaseWriters(task, timeout: busyTimeout)
            let held = Self.now() - start
            assert(batch.nextPage > next || Int(next) > batch.pageCount, "a batch looks at one page at least")
            assert(batch.resealed <= limit)
            (next, pageCount) = (batch.nextPage, batch.pageCount)
            resealed += batch.resealed
            try report(progress, .resealing, min(Int(next) - 1, pageCount), pageCount)
            if batch.resealed > 0 {
                adapt(to: held)
                // Leaves the lock to other connections for at least as long as this batch held it.
                usleep(UInt32(max(held, pace.leastPause) * 1e6))
                try checkpointIfLong()
            }
        } while Int(next) <= pageCount
        return pageCount
    }

    /// Adapts the size of the next batch to the time in seconds for which this batch held the lock. The size at most
    /// doubles, since a part of that time is spent on a sync, which takes equally long for any number of pages.
    private func adapt(to held: Double) {
        assert(held >= 0, "a monotonic clock doesn't go back")
        let largest = max(1, pace.largestBatchByteCount / database.pageSize)
        let fitting = Double(batchPageCount) * min(2, pace.hold / max(held, 0.0001))
        batchPageCount = min(largest, max(1, Int(fitting)))
    }

    static func now() -> Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private func checkpointIfLong() throws(SealedFileError) {
        var logByteCount: Int64 = 0
        let look = FileTask { (file, _) throws(SealedFileError) in
            logByteCount = try SealedFileError.mapping { () throws(VFSFailure) in try file.wal?.base.size().get() ?? 0 }
        }
        try connection.perform(look)
        guard logByteCount > Self.frameLimit * Int64(database.pageSize) else { return }
        try connection.query("PRAGMA wal_checkpoint(PASSIVE)")
    }

    // MARK: The end

    /// Removes the old keys from the header, and the sidecar. Returns false, with the old keys kept, if a page or WAL
    /// frame of the old epoch still exists, for example because a reader needs it.
    private func finish() throws(SealedFileError) -> Bool {
        // Noted before the log and the pages are examined: only this rotation is known to have left nothing to reseal.
        let masterID = database.ring.content.masterID
        guard try emptyLog() else { return false }
        var isClean = false
        let scan = FileTask { (file, sealed) throws(SealedFileError) in
            isClean = try SealedFileError.mapping { () throws(VFSFailure) in
                try OldEpochScan(file: file, sealed: sealed).isClean()
            }
        }
        try connection.perform(scan)
        guard isClean else { return false }
        try end(masterID)
        return true
    }

    /// Removes the old keys of the rotation to the master key `masterID` from the header, and the sidecar. Does nothing
    /// if that rotation was ended by another process, which may have begun the next one: its pages need its old keys.
    func end(_ masterID: [UInt8]) throws(SealedFileError) {
        let sidecar = RotationSidecar.path(of: try connection.resolvedPath())
        let vfs = database.vfs.base
        let end = FileTask.headerChange { (region, ring) throws(SealedFileError) in
            guard region.content.rotation != nil, region.content.masterID == masterID else { return nil }
            var content = region.content
            content.rotation = nil
            try content.raiseGeneration()
            let master = try ring.masterKey()
            // Under these locks no batch is open, so no page needs the sidecar.
            try BaseHandle.remove(sidecar, vfs: vfs)
            assert(content.epoch == region.content.epoch && content.slots == region.content.slots, "only old keys go")
            return try SealedFileError.mappingCrypto { () throws(CryptoError) in
                try HeaderImage(content, master: master)
            }
        }
        try connection.withDatabaseQuiet(end, timeout: busyTimeout)
    }

    /// Copies every frame of the log to the database file and truncates the log, which removes all frames of the old
    /// epoch. Returns false if a reader or a writer prevents that.
    private func emptyLog() throws(SealedFileError) -> Bool {
        guard try connection.text("PRAGMA journal_mode") == "wal" else { return true }
        var isBusy = true
        // The truncating checkpoint blocks writers while it copies, so leave it little to copy.
        try connection.query("PRAGMA wal_checkpoint(PASSIVE)")
        connection.waitEagerly(for: .milliseconds(50))
        defer { connection.waitEagerly(for: busyTimeout) }
        do throws(SealedFileError) {
            try connection.query("PRAGMA wal_checkpoint(TRUNCATE)") { (row) throws(SealedFileError) in
                isBusy = row.integer(0) != 0
            }
        } catch {
            guard error.code == .busy else { throw error }
        }
        return !isBusy
    }
}

import CSQLite
import Glibc
import SealiteCrypto

/// How large the steps of a rotation are.
struct RotationPace {
    var firstBatchByteCount = 256 << 10
    var largestBatchByteCount = 4 << 20
    /// How long a batch shall hold the lock, in seconds. A disk that hesitates makes one take several times as long.
    var hold = 0.015
    /// How long others get the lock at least between two batches, in seconds.
    var leastPause = 0.005
}

/// Seals every page of the old epoch anew, batch by batch under SQLite's own locks, then takes the old keys out of the header.
final class RotationWorker {
    private let database: SealedDatabase
    private let connection: RawConnection
    private let busyTimeout: Int32
    private var resealed = 0
    /// Of the last batch. Begins anywhere, so that a reader doesn't take a batch of the run before for the same one.
    private var serial = UInt64.random(in: 0..<1 << 62)
    /// Pages in one batch: adapted so that it holds the lock for `pace.hold`.
    private var batchPageCount: Int

    private let pace: RotationPace

    /// Beyond this many frames the rotator checkpoints itself: its own autocheckpoint is off.
    private static let frameLimit: Int64 = 1000

    init(database: SealedDatabase, connection: RawConnection, busyTimeout: Int32, pace: RotationPace) {
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
            "the rotation of \"\(database.path)\" was stopped; it goes on with the next 'sealite key rotate'")
    }

    // MARK: Pages

    /// One pass over the file. Returns its page count.
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
            (next, pageCount) = (batch.nextPage, batch.pageCount)
            resealed += batch.resealed
            try report(progress, .resealing, min(Int(next) - 1, pageCount), pageCount)
            if batch.resealed > 0 {
                adapt(to: held)
                // Others get the lock at least as often as we do.
                usleep(UInt32(max(held, pace.leastPause) * 1e6))
                try checkpointIfLong()
            }
        } while Int(next) <= pageCount
        return pageCount
    }

    /// Makes the next batch as large as fits, by what this one took: at most twice as large, since part of the time is what a
    /// sync takes whatever it writes.
    private func adapt(to held: Double) {
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

    /// Takes the old keys out of the header, if nothing needs them any more. False where a reader still may.
    private func finish() throws(SealedFileError) -> Bool {
        guard try emptyLog() else { return false }
        var isClean = false
        let scan = FileTask { (file, sealed) throws(SealedFileError) in
            isClean = try SealedFileError.mapping { () throws(VFSFailure) in
                try OldEpochScan(file: file, sealed: sealed).isClean()
            }
        }
        try connection.perform(scan)
        guard isClean else { return false }
        let path = RotationSidecar.path(of: database.path)
        try BaseHandle.remove(path, vfs: database.vfs.base)
        let end = FileTask.headerChange { (region, ring) throws(SealedFileError) in
            guard region.content.rotation != nil else { return nil }
            var content = region.content
            content.rotation = nil
            try content.raiseGeneration()
            let master = try ring.masterKey()
            return try SealedFileError.mappingCrypto { () throws(CryptoError) in
                try HeaderImage(content, master: master)
            }
        }
        try connection.withDatabaseQuiet(end)
        return true
    }

    /// Brings every frame of the log into the database and cuts the log to nothing: frames of the old epoch go with it.
    /// False where a reader or a writer is in the way.
    private func emptyLog() throws(SealedFileError) -> Bool {
        guard try connection.text("PRAGMA journal_mode") == "wal" else { return true }
        var isBusy = true
        // The other checkpoint holds writers up for as long as it copies: it shall find little to copy.
        try connection.query("PRAGMA wal_checkpoint(PASSIVE)")
        connection.waitEagerly(milliseconds: 50)
        defer { connection.waitEagerly(milliseconds: busyTimeout) }
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

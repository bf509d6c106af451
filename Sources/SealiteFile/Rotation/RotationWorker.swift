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

/// One batch of a rotation, under a lock that excludes all other writers of the database file: collects pages of old
/// epochs, makes their new images durable in the sidecar (the rotation's own journal file), and writes them to the
/// database file.
struct RotationBatch {
    let file: MainFile
    let sealed: PageCodec
    let first: UInt32
    /// The maximum number of pages to reseal.
    let limit: Int
    /// The maximum time in seconds to spend collecting pages.
    let patience: Double
    let serial: UInt64

    /// The maximum number of pages to examine in one batch: for those of the new epoch only the trailer is read.
    private static let lookLimit: UInt32 = 16384
    /// The number of pages examined between two readings of the clock.
    private static let clockInterval: UInt32 = 64

    func run() throws(VFSFailure) -> BatchResult {
        assert(first > 0 && limit > 0)
        assert(limit <= SidecarLayout.pageLimit, "the sidecar has room for the batch")
        try file.rotation.finishOpenBatch()
        try sealing { () throws(SealedFileError) in try sealed.beginSealing() }
        let pageCount = UInt32(truncatingIfNeeded: try file.size() / Int64(sealed.pageSize))
        let images = UnsafeMutableRawBufferPointer.allocate(byteCount: limit * sealed.pageSize, alignment: 4096)
        defer { unsafe images.deallocate() }
        var numbers: [UInt32] = []
        var number = first
        let end = RotationWorker.now() + patience
        while number <= pageCount, numbers.count < limit, number - first < Self.lookLimit {
            if number - first >= Self.clockInterval, number % Self.clockInterval == 0, RotationWorker.now() > end {
                break
            }
            if number != sealed.lockBytePage, try epoch(of: number) != sealed.ring.currentEpoch,
                let start = images.baseAddress,
                unsafe try reseal(number, into: start + numbers.count * sealed.pageSize)
            {
                numbers.append(number)
            }
            number += 1
        }
        assert(number > first || first > pageCount, "a batch looks at one page at least")
        try unsafe write(
            numbers, UnsafeRawBufferPointer(rebasing: images[0..<numbers.count * sealed.pageSize]), pageCount)
        return BatchResult(nextPage: number, pageCount: Int(pageCount), resealed: numbers.count)
    }

    private func epoch(of number: UInt32) throws(VFSFailure) -> UInt32 {
        try OldEpochScan.epoch(of: number, file, sealed)
    }

    /// Reseals a page of an old epoch into `image`. Returns false for a page of zeros, which was never written. A page
    /// that doesn't authenticate is never rewritten: the rotation stops, with both keys kept.
    private func reseal(_ number: UInt32, into image: UnsafeMutableRawPointer) throws(VFSFailure) -> Bool {
        assert(number != sealed.lockBytePage)
        unsafe try check(file.base.read(into: image, sealed.pageSize, at: sealed.offset(of: number)))
        let isHole = unsafe UnsafeRawBufferPointer(start: image, count: sealed.pageSize).allSatisfy { $0 == 0 }
        if isHole { return false }
        guard case .opened(let pageOneSerial) = unsafe try sealed.open(image, number: number) else {
            throw VFSFailure(
                .damagedPage(
                    number, pageSize: sealed.pageSize, cause: "can't be decrypted with its key from before the rotation"
                ))
        }
        unsafe try sealed.seal(image, number: number, pageOneSerial: pageOneSerial)
        unsafe memcpy(image, sealed.scratch, sealed.pageSize)
        return true
    }

    private func write(_ numbers: [UInt32], _ images: UnsafeRawBufferPointer, _ pageCount: UInt32) throws(VFSFailure) {
        guard !numbers.isEmpty else { return }
        let sidecar = try sealing { () throws(SealedFileError) in
            try RotationSidecar(of: file.origin.path, vfs: file.origin.baseVFS, ring: sealed.ring, create: true)
        }
        guard let sidecar, let start = images.baseAddress, let last = numbers.last else { return }
        assert(images.count == numbers.count * sealed.pageSize, "the sidecar gets an image of each page")
        assert(last <= pageCount)
        let batch = SidecarBatch(
            masterID: sealed.ring.content.masterID, serial: serial, isOpen: true, progress: last, pageCount: pageCount,
            pages: numbers)
        unsafe try sidecar.open(batch, images: images)
        for (index, number) in numbers.enumerated() {
            let image = unsafe start + index * sealed.pageSize
            unsafe try check(file.base.write(image, sealed.pageSize, at: sealed.offset(of: number)))
        }
        try check(file.base.sync(SQLITE_SYNC_FULL))
        try sidecar.close(batch)
    }
}

/// The result of one batch of a key rotation, which encrypts some pages again under the new page key.
struct BatchResult {
    /// The number of the first page of the next batch.
    var nextPage: UInt32
    var pageCount: Int
    var resealed: Int
}

/// Finds out whether any page is still encrypted under an old epoch, that is, under a page key from before the rotation
/// in progress.
struct OldEpochScan {
    let file: MainFile
    let sealed: PageCodec

    /// Returns whether no page is sealed under an old epoch. Needs no lock: since the rotation began, no page has been
    /// sealed under the old epoch, so the result can't become wrong.
    func isClean() throws(VFSFailure) -> Bool {
        let pageCount = UInt32(truncatingIfNeeded: try file.size() / Int64(sealed.pageSize))
        guard pageCount > 0 else { return true }
        for number in 1...pageCount where number != sealed.lockBytePage {
            let epoch = try Self.epoch(of: number, file, sealed)
            if epoch != sealed.ring.currentEpoch, epoch != 0 { return false }
        }
        return true
    }

    /// Returns the epoch in a page's trailer, which isn't authenticated here; 0 for a page that was never written.
    static func epoch(of number: UInt32, _ file: MainFile, _ sealed: PageCodec) throws(VFSFailure) -> UInt32 {
        assert(number > 0 && number != sealed.lockBytePage)
        var epoch: UInt32 = 0
        let place = sealed.offset(of: number) + Int64(sealed.textByteCount + PageTrailer.epoch)
        let code = unsafe withUnsafeMutableBytes(of: &epoch) { buffer in
            guard let start = buffer.baseAddress else { return SQLITE_IOERR }
            return unsafe file.base.read(into: start, 4, at: place)
        }
        guard code == SQLITE_OK || code == SQLITE_IOERR_SHORT_READ else { throw VFSFailure(code) }
        return UInt32(littleEndian: epoch)
    }
}

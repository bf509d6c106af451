/// A garbage collection of blobs, in steps of bounded work, each in a transaction of its own or as a part of another.
///
/// A step deletes content in two ways. Content without a digest can't be found by anyone: it is deleted if its writer
/// has ended, or its deletion has begun. Of the blobs with a digest, a step examines the next ones in the order of their
/// numbers, and deletes those that no document refers to. A blob that is too large for one step loses its digest first,
/// so that a later save of the same content stores it anew.
struct BlobCollection {
    /// The number of chunks of 64 KiB that a step deletes at most: 16 MiB.
    static let chunksPerStep = 256
    /// The number of blobs that a step examines at most.
    static let blobsPerStep = 500

    /// The time, in milliseconds since 1970, before which a blob without a reference must have been used last.
    let limit: Int64
    /// A Boolean value that says whether blobs that a document once referred to are deleted without regard to `limit`.
    var freesUsedAtOnce = false
    /// The number of the blob that was examined last.
    var cursor: Int64 = 0
    /// The earliest time at which a blob that had to stay may be deleted; nil if there is none.
    var due: Int64?
    /// A Boolean value that says whether all blobs have been examined and nothing is left to be deleted.
    private(set) var isDone = false
    private(set) var removedCount = 0
    private(set) var removedByteCount: Int64 = 0
    /// The number of blobs without a reference that stayed because this process has them open.
    private(set) var openCount = 0

    /// Does the next step. With `examines` false, only content without a digest is deleted.
    mutating func step(
        _ store: BlobStore, of database: Database, chunkLimit: Int = Self.chunksPerStep, examines: Bool = true
    ) throws {
        assert(chunkLimit > 0, "each step erases something")
        var budget = chunkLimit
        for (number, touched) in try store.withoutDigest() {
            guard try touched < limit || store.isAbandoned(number) else {
                keep(until: touched.plus(BlobStore.unreferencedLifetime))
                continue
            }
            try erase(number, store, &budget)
            if budget <= 0 { return }
        }
        guard examines else {
            isDone = true
            return
        }
        let candidates = try store.candidates(after: cursor, count: Self.blobsPerStep)
        for candidate in candidates {
            cursor = candidate.number
            guard !candidate.isReferred else { continue }
            if let digest = candidate.digest, BlobPin.isPinned(digest, in: database) {
                openCount += 1
                keep(until: store.now + BlobStore.unreferencedLifetime)
                continue
            }
            guard candidate.touched < limit || freesUsedAtOnce && candidate.wasUsed else {
                keep(until: candidate.touched.plus(BlobStore.unreferencedLifetime))
                continue
            }
            try store.condemn(candidate.number)
            removedByteCount += candidate.length
            try erase(candidate.number, store, &budget)
            if budget <= 0 { return }
        }
        isDone = candidates.count < Self.blobsPerStep
    }

    private mutating func erase(_ number: Int64, _ store: BlobStore, _ budget: inout Int) throws {
        assert(budget > 0, "a step ends with its budget")
        let (chunkCount, isGone) = try store.erase(number, chunkLimit: budget)
        if isGone { removedCount += 1 }
        assert(chunkCount <= budget, "no more is erased than was allowed")
        budget -= max(chunkCount, 1)
    }

    private mutating func keep(until time: Int64) {
        // The time of a clock that was set wrong doesn't postpone the next pass for ever.
        let time = min(time, limit.plus(2 * BlobStore.unreferencedLifetime))
        due = min(due ?? time, time)
    }
}

extension Int64 {
    /// Returns the sum with a positive number, at most the greatest number there is.
    fileprivate func plus(_ number: Int64) -> Int64 {
        let (sum, isTooGreat) = addingReportingOverflow(number)
        return isTooGreat ? .max : sum
    }
}

extension Transaction {
    /// Does a step of the collection that goes on by itself, whose state is in the database: it deletes content whose
    /// writer has ended, and, if a pass over the blobs is due or in progress, the blobs that have had no reference for a
    /// day.
    ///
    /// - Returns: true if more remains to be done now.
    func collectBlobs(chunkLimit: Int = BlobCollection.chunksPerStep) throws -> Bool {
        let store = blobs
        let state = try store.collectionState()
        let isDue = state.map { store.isDue($0) } ?? true
        var collection = BlobCollection(limit: store.now - BlobStore.unreferencedLifetime)
        if let state, state.cursor > 0 { (collection.cursor, collection.due) = (state.cursor, state.due) }
        try collection.step(store, of: database, chunkLimit: chunkLimit, examines: isDue)
        guard isDue else { return !collection.isDone }
        let cursor = collection.isDone ? 0 : collection.cursor
        // A step that only deleted content has examined nothing: the pass stays due.
        if cursor > 0 || collection.isDone {
            try store.setCollectionState(BlobStore.CollectionState(cursor: cursor, due: collection.due))
        }
        return !collection.isDone
    }
}

extension BlobStore {
    /// Returns whether a pass over the blobs is in progress or due. A time that is more than a day ahead stems from a
    /// clock that was set back since.
    func isDue(_ state: CollectionState) -> Bool {
        guard state.cursor == 0 else { return true }
        guard let due = state.due else { return false }
        return due <= now || due > now + Self.unreferencedLifetime
    }

    /// Returns when the collection has something to do: 0 for now, nil for never, otherwise a time in milliseconds since
    /// 1970.
    func nextCollection() throws -> Int64? {
        if try isEmpty() { return nil }
        guard let state = try collectionState(), !isDue(state) else { return 0 }
        let limit = now - Self.unreferencedLifetime
        if try withoutDigest().contains(where: { try $0.touched < limit || isAbandoned($0.number) }) { return 0 }
        return state.due
    }
}

extension Database {
    /// Returns when the garbage collection of blobs has something to do; see `BlobStore.nextCollection()`.
    func nextBlobCollection() throws -> Int64? {
        try reading { try BlobStore($0, time: self.configuration.time).nextCollection() }
    }

    /// Does a step of the garbage collection of blobs in a transaction of its own.
    ///
    /// - Returns: true if more remains to be done now.
    /// - Throws: `busy` if another connection is writing, for which this doesn't wait.
    func collectBlobs() throws -> Bool {
        try writer.performIfIdle(self) { try $0.collectBlobs() }
    }
}

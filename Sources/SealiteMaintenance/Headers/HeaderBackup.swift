import CSQLite
public import SealiteFile

/// A header as it was saved or put in place.
public struct HeaderReport: Sendable, Equatable, Encodable {
    /// The database id, 32 hex digits.
    public let databaseID: String
    /// The header's generation.
    public let generation: UInt64
    /// The epoch that pages are sealed under.
    public let epoch: UInt32
    /// The header's freshness counter.
    public let freshnessCounter: UInt64
    /// Its key slots: who can open the file by it.
    public let slots: [SlotInfo]
    /// Warnings for a person about a header that was put in place: the recovery slot of an earlier version that opened it, and
    /// such slots that it has.
    public let warnings: [SlotWarning]

    init(_ content: HeaderContent, warnings: [SlotWarning] = []) {
        self.warnings = warnings
        databaseID = content.databaseID.hex
        generation = content.generation
        epoch = content.epoch.epoch
        freshnessCounter = content.freshness
        slots = content.slotInfos
    }
}

/// Header backups: 8 KiB without which nothing of a sealed file can be read. `Documentation/FORMAT.md` §4.5.
extension SealedDatabase {
    /// Saves the header of a sealed database to a new file of 8192 bytes. Needs no key.
    ///
    /// The secrets of its slots open the backup for good: also after a slot was removed from the database, until its keys
    /// are rotated.
    ///
    /// - Throws: `SealedFileError`: `noSuchFile`, `permission`, `notSealed`, `damagedHeader` where both copies are,
    ///   `exists`, `diskFull`, `inputOutput`.
    @discardableResult
    public static func backUpHeader(of path: String, to imagePath: String) throws(SealedFileError) -> HeaderReport {
        let region = try BaseHandle.readHeader(path, vfs: VFSChoice.standard.base)
        let file = try NewFile(imagePath)
        try file.write(region.image.bytes + region.image.bytes)
        try file.publish()
        return HeaderReport(region.content)
    }

    /// Puts a saved header back, in both copies, with a generation above any that the file has. No connection may have the
    /// file open.
    ///
    /// The slots of the saved header come back, those removed since then too. A header of before the last rotation is
    /// refused: it opens nothing any more. So is one that only a recovery slot of an earlier version opens, where the file
    /// has an authenticated slot for the same key.
    ///
    /// - Parameters:
    ///   - path: the database.
    ///   - imagePath: a file that ``backUpHeader(of:to:)`` wrote.
    ///   - key: a key that opens the saved header.
    ///   - limits: limits on the cost of unlocking.
    /// - Returns: the header that is in place now.
    /// - Throws: `SealedFileError`: `wrongKey`, `tamperedHeader` and `damagedHeader` for the saved header, `refused` where it
    ///   isn't this file's or is older than its pages, `busy` where the file is in use, `inputOutput`.
    @discardableResult
    public static func restoreHeader(
        of path: String, from imagePath: String, key: borrowing UnlockKey, limits: UnlockLimits = UnlockLimits()
    ) throws(SealedFileError) -> HeaderReport {
        try restoreHeader(of: path, from: imagePath, key: key, limits: limits, vfs: .standard)
    }

    static func restoreHeader(
        of path: String, from imagePath: String, key: borrowing UnlockKey, limits: UnlockLimits, vfs: VFSChoice
    ) throws(SealedFileError) -> HeaderReport {
        let saved = try savedHeader(imagePath, key: key, limits: limits)
        let handle = try ExclusiveHandle(path, vfs: vfs.base)
        let present = try HeaderCopies(handle.file)
        try saved.requireFits(present, path: path)
        try present.requireNoDowngrade(saved.content, by: saved.ring.recovery)
        try saved.requireOpens(handle.file, path: path)
        return try present.replace(with: saved, on: handle.file)
    }

    /// Decides for the header copy that the key opens, where the other was changed by someone without it: both copies then
    /// hold it, with a new generation. No connection may have the file open.
    ///
    /// Look at the slots and warnings it returns: the copy may be an old one, with slots that were removed since. A copy that
    /// only a recovery slot of an earlier version opens counts only where no other is authentic (and `limits` accepts it), and
    /// where no copy has an authenticated slot for the same key. The copy must open pages of the file.
    ///
    /// - Parameters:
    ///   - path: the database.
    ///   - key: a key that opens the copy to be kept.
    ///   - limits: limits on the cost of unlocking.
    ///   - copy: the number of the copy to keep, 0 or 1, where both are authentic and neither is the newer; nil for the one that is authentic.
    /// - Returns: the header that is in both copies now.
    /// - Throws: `SealedFileError`: `refused` where there is nothing to decide or the copy opens no page, `wrongKey`,
    ///   `unauthenticatedSlot`, `tamperedHeader` where no copy is authentic, `busy` where the file is in use, `inputOutput`.
    @discardableResult
    public static func acceptHeaderCopy(
        of path: String, key: borrowing UnlockKey, limits: UnlockLimits = UnlockLimits(), copy: Int? = nil
    ) throws(SealedFileError) -> HeaderReport {
        try acceptHeaderCopy(of: path, key: key, limits: limits, copy: copy, vfs: .standard)
    }

    static func acceptHeaderCopy(
        of path: String, key: borrowing UnlockKey, limits: UnlockLimits, copy: Int?, vfs: VFSChoice
    ) throws(SealedFileError) -> HeaderReport {
        let handle = try ExclusiveHandle(path, vfs: vfs.base)
        let present = try HeaderCopies(handle.file)
        let kept = try present.authentic(key: key, limits: limits, only: copy)
        let region = try HeaderRegion(parsing: kept.image.bytes + kept.image.bytes)
        let accepted = SavedHeader(
            content: region.content, ring: try KeyRing(opened: kept.opened, region: region, path: path))
        try accepted.requireOpens(handle.file, path: path)
        return try present.replace(with: accepted, on: handle.file, keeping: kept.copy)
    }

    /// The keys of a saved header, proven by its MAC.
    static func savedHeader(
        _ imagePath: String, key: borrowing UnlockKey, limits: UnlockLimits
    ) throws(SealedFileError) -> SavedHeader {
        guard let bytes = try StateFile.read(imagePath, limit: HeaderLayout.regionByteCount) else {
            throw SealedFileError(.noSuchFile, "\"\(imagePath)\" doesn't exist")
        }
        do throws(SealedFileError) {
            let region = try HeaderRegion(parsing: bytes)
            let opened = try SlotOpening.open(region.content, with: key, limits: limits)
            return SavedHeader(
                content: region.content, ring: try KeyRing(opened: opened, region: region, path: imagePath))
        } catch {
            throw error.about(imagePath)
        }
    }
}

/// A header backup and the keys it holds.
struct SavedHeader {
    let content: HeaderContent
    let ring: KeyRing

    /// Refuses a header of another database, and one that a rotation left behind.
    func requireFits(_ present: HeaderCopies, path: String) throws(SealedFileError) {
        for image in present.whole {
            guard image.content.databaseID == content.databaseID, image.content.pageSize == content.pageSize else {
                throw SealedFileError(
                    .refused,
                    "the saved header is of database \(content.databaseID.hex), \"\(path)\" is "
                        + image.content.databaseID.hex)
            }
            if image.content.epoch.epoch > content.epoch.epoch { throw .headerBeforeRotation(path) }
        }
    }

    /// Looks for a page that opens, and for one of a later epoch.
    func requireOpens(_ file: BaseFile, path: String) throws(SealedFileError) {
        let pages = PageCodec(ring: ring, use: .main)
        let size = try SealedFileError.mapping { () throws(VFSFailure) in try file.size().get() }
        let count = (size - Int64(HeaderLayout.regionByteCount)) / Int64(pages.pageSize)
        var opensSome = false
        for number in 0..<UInt32(clamping: max(0, count)) {
            let opening = try SealedFileError.mapping { () throws(VFSFailure) -> PageCodec.Opening in
                let code = unsafe file.read(into: pages.scratch, pages.pageSize, at: pages.offset(of: number + 1))
                // A sector that can't be read says nothing about the header.
                guard code == SQLITE_OK else { return .notAuthentic }
                return try unsafe pages.open(pages.scratch, number: number + 1)
            }
            switch opening {
            case .opened: opensSome = true
            case .unknownEpoch(let epoch) where (1...1024).contains(epoch &- content.epoch.epoch):
                throw .headerBeforeRotation(path)
            case .unknownEpoch, .notAuthentic: break
            }
        }
        guard opensSome else {
            throw SealedFileError(
                .refused, "the header opens none of the \(max(0, count)) pages of \"\(path)\"",
                hint: "it is of another database, or no page is left")
        }
    }
}

extension SealedFileError {
    static func headerBeforeRotation(_ path: String) -> SealedFileError {
        SealedFileError(
            .refused, "the keys of \"\(path)\" were rotated after that header was written",
            hint: "use a header from after the rotation")
    }
}

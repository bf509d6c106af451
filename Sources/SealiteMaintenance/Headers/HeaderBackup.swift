import CSQLite
public import SealiteFile

/// Header backups: the 8 KiB without which no part of a sealed file can be read. `Documentation/FORMAT.md` §4.5.
extension SealedDatabase {
    /// Saves the header of a sealed database to a new file of 8192 bytes. Needs no key.
    ///
    /// Until the keys are rotated, anyone who has the saved header and the secret of one of its slots can decrypt the
    /// database, even if that slot was removed from the database later.
    ///
    /// - Returns: a description of the saved header.
    /// - Throws: `SealedFileError`: `noSuchFile`, `permission`, `notSealed`, `damagedHeader` if both copies are
    ///   damaged, `exists`, `diskFull`, `inputOutput`.
    @discardableResult
    public static func backUpHeader(of path: String, to imagePath: String) throws(SealedFileError) -> HeaderReport {
        let region = try BaseHandle.readHeader(path, vfs: VFSChoice.standard.base)
        let file = try NewFile(imagePath)
        try file.write(region.image.bytes + region.image.bytes)
        try file.publish()
        return HeaderReport(region.content)
    }

    /// Restores a saved header to both copies, with a generation above any in the file. No connection may have the file
    /// open.
    ///
    /// The key slots of the saved header are restored, including slots that were removed since. A header from before
    /// the last rotation is refused, since its keys no longer open the file.
    ///
    /// - Parameters:
    ///   - path: the database.
    ///   - imagePath: a file that ``backUpHeader(of:to:)`` wrote.
    ///   - key: a key that opens the saved header.
    ///   - limits: limits on the cost of unlocking.
    /// - Returns: a description of the header that is now in the file.
    /// - Throws: `SealedFileError`: `noSuchFile`, `permission`, `wrongKey`, `tamperedHeader` and `damagedHeader` for
    ///   the saved header, `refused` if it belongs to another file or is older than its pages, `busy` if the file is in
    ///   use, `inputOutput`.
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
        try saved.requireOpens(handle.file, path: path)
        return try present.replace(with: saved, on: handle.file)
    }

    /// Chooses the header copy that the key opens after the other copy was changed without the key: the chosen copy is
    /// written to both, with a new generation. No connection may have the file open.
    ///
    /// Check the slots of the result: the copy may be an old one, with slots that were removed since. The copy must open
    /// pages of the file.
    ///
    /// - Parameters:
    ///   - path: the database.
    ///   - key: a key that opens the copy to keep.
    ///   - limits: limits on the cost of unlocking.
    ///   - copy: the number of the copy to keep, 0 or 1, if both are authentic and neither is newer; nil for the only
    ///     authentic one.
    /// - Returns: a description of the header that is now in both copies.
    /// - Throws: `SealedFileError`: `refused` if there is nothing to decide or the copy opens no page, `wrongKey`,
    ///   `damagedHeader` if both copies, or the one to keep, are damaged, `unsupportedVersion` if they have an unknown
    ///   or removed format, `tamperedHeader` if no copy is authentic, `busy` if the file is in use, `inputOutput`.
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

    /// Reads a saved header and unlocks it with a key. Throws `tamperedHeader` if its MAC isn't valid.
    static func savedHeader(
        _ imagePath: String, key: borrowing UnlockKey, limits: UnlockLimits
    ) throws(SealedFileError) -> SavedHeader {
        guard let bytes = try StateFile.read(imagePath, limit: HeaderLayout.regionByteCount) else {
            throw SealedFileError(.noSuchFile, "the saved header \"\(imagePath)\" doesn't exist")
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

extension SealedFileError {
    static func headerBeforeRotation(_ path: String) -> SealedFileError {
        SealedFileError(
            .refused,
            "the keys of \"\(path)\" were rotated after the chosen header, a saved one or a header copy, was written",
            hint: "choose a header that was written after the rotation")
    }

    /// Returns the error for a page that names a later epoch than the chosen header. Without that epoch's key nothing
    /// tells whether a rotation wrote the page or someone altered it, so the header isn't put in place.
    static func pageOfLaterEpoch(_ page: UInt32, _ path: String) -> SealedFileError {
        SealedFileError(
            .refused,
            "page \(page) of \"\(path)\" names a later epoch than the chosen header: the keys were rotated after that header "
                + "was written, or the page was altered",
            hint: "choose a header that was written after the rotation; if there was none, salvage the database with a "
                + "saved header", page: page)
    }
}

/// Describes a header that was saved or restored.
public struct HeaderReport: Sendable, Equatable, Encodable {
    /// The database id, 32 hex digits.
    public let databaseID: String
    /// The header's generation, which each change of the header raises by one.
    public let generation: UInt64
    /// The epoch, that is, the number of the page key, that pages are sealed under.
    public let epoch: UInt32
    /// The header's freshness counter, which each freshness record raises by one.
    public let freshnessCounter: UInt64
    /// The header's key slots, whose secrets open the file.
    public let slots: [SlotInfo]

    init(_ content: HeaderContent) {
        databaseID = content.databaseID.hex
        generation = content.generation
        epoch = content.epoch.epoch
        freshnessCounter = content.freshness
        slots = content.slotInfos
    }
}

/// A header that is to be written to a file, from a header backup or from one of the file's own copies, and its keys.
struct SavedHeader {
    let content: HeaderContent
    let ring: KeyRing

    /// Throws `refused` if the header belongs to another database, or was saved before the last key rotation.
    func requireFits(_ present: HeaderCopies, path: String) throws(SealedFileError) {
        for image in present.whole {
            guard image.content.databaseID == content.databaseID, image.content.pageSize == content.pageSize else {
                throw SealedFileError(
                    .refused,
                    "the saved header isn't of \"\(path)\": its database ID is \(content.databaseID.hex) and its page size "
                        + "\(content.pageSize) bytes, those of the file are \(image.content.databaseID.hex) and "
                        + "\(image.content.pageSize)")
            }
            if image.content.epoch.epoch > content.epoch.epoch { throw .headerBeforeRotation(path) }
        }
    }

    /// Throws `refused` unless the header's keys open at least one page of the file, and also if a page names a later
    /// epoch, because the keys were probably rotated after the header was saved.
    func requireOpens(_ file: BaseFile, path: String) throws(SealedFileError) {
        let pages = PageCodec(ring: ring, use: .main)
        let size = try SealedFileError.mapping { () throws(VFSFailure) in try file.size().get() }
        let count = (size - Int64(HeaderLayout.regionByteCount)) / Int64(pages.pageSize)
        var opensSome = false
        for number in 0..<UInt32(clamping: max(0, count)) {
            let opening = try SealedFileError.mapping { () throws(VFSFailure) -> PageCodec.Opening in
                let code = unsafe file.read(into: pages.scratch, pages.pageSize, at: pages.offset(of: number + 1))
                // An unreadable sector proves nothing about the header.
                guard code == SQLITE_OK else { return .notAuthentic }
                return try unsafe pages.open(pages.scratch, number: number + 1)
            }
            switch opening {
            case .opened: opensSome = true
            case .unknownEpoch(let epoch) where (1...1024).contains(epoch &- content.epoch.epoch):
                throw .pageOfLaterEpoch(number + 1, path)
            case .unknownEpoch, .notAuthentic: break
            }
        }
        guard opensSome else {
            throw SealedFileError(
                .refused, "the header opens none of the \(max(0, count)) pages of \"\(path)\"",
                hint: "the header belongs to another database, or all pages of this one are damaged")
        }
    }
}

import CSQLite

/// Reads and writes the header region of an open database file through the base VFS. `Documentation/FORMAT.md` §4.4.
package enum HeaderFile {
    package static func read(_ base: BaseFile) throws(VFSFailure) -> HeaderRegion {
        let bytes = try base.bytes(HeaderLayout.regionByteCount, at: 0).get()
        return try sealing { () throws(SealedFileError) in try HeaderRegion(parsing: bytes) }
    }

    /// Reads the header if it differs from the known one, that is, if copy 0 has another generation or database id.
    /// Returns nil if it doesn't differ. Checking copy 0 suffices, because every change of the header writes it first.
    static func readIfChanged(
        _ base: BaseFile, of databaseID: [UInt8], since known: UInt64
    ) throws(VFSFailure) -> HeaderRegion? {
        var words: (UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0)
        let isOfDatabase = try unsafe withUnsafeMutableBytes(of: &words) { (buffer) throws(VFSFailure) in
            guard let start = buffer.baseAddress else { throw VFSFailure(SQLITE_IOERR) }
            unsafe try check(base.read(into: start, buffer.count, at: Int64(HeaderLayout.databaseID)))
            return unsafe buffer.prefix(databaseID.count).elementsEqual(databaseID)
        }
        return isOfDatabase && UInt64(littleEndian: words.4) == known ? nil : try read(base)
    }

    /// Rewrites the stale header copy, if there is one, with the content of the copy in force. Requires the write lock.
    static func heal(_ region: HeaderRegion, on base: BaseFile) throws(VFSFailure) {
        guard let stale = region.staleCopy else { return }
        try writeCopy(region.image, stale, on: base)
    }

    /// Writes a new header over both copies. A stale copy is repaired first, so that one intact copy exists at any
    /// time; then copy 0 is written before copy 1. Throws `internalFailure` without writing anything if readers would
    /// reject the new header.
    static func replace(_ region: HeaderRegion, with image: HeaderImage, on base: BaseFile) throws(VFSFailure) {
        precondition(image.content.databaseID == region.content.databaseID, "the header would be that of another file")
        precondition(image.content.pageSize == region.content.pageSize, "no page could be read any more")
        try sealing { () throws(SealedFileError) in try image.requireLegal() }
        try heal(region, on: base)
        try writeCopy(image, 0, on: base)
        try writeCopy(image, 1, on: base)
    }

    /// Writes the first header of an empty file.
    static func writeNew(_ image: HeaderImage, on base: BaseFile) throws(VFSFailure) {
        assert(image.content.generation == 1 && image.content.rotation == nil, "the header is a file's first")
        try writeCopy(image, 0, on: base)
        try writeCopy(image, 1, on: base)
    }

    private static func writeCopy(_ image: HeaderImage, _ copy: Int, on base: BaseFile) throws(VFSFailure) {
        precondition(copy == 0 || copy == 1, "page 1 follows the two copies")
        precondition(image.bytes.count == HeaderLayout.copyByteCount, "a longer copy would overwrite what follows")
        try check(base.write(image.bytes, at: Int64(copy * HeaderLayout.copyByteCount)))
        try check(base.sync(SQLITE_SYNC_FULL))
    }
}

extension SealedFileError {
    /// Runs I/O of the VFS and converts a `VFSFailure` to an error of the public API.
    package static func mapping<R>(_ body: () throws(VFSFailure) -> R) throws(SealedFileError) -> R {
        do throws(VFSFailure) {
            return try body()
        } catch {
            throw error.detail ?? SealedFileError(sqlite: error.code, doing: "reading or writing the sealed file")
        }
    }
}

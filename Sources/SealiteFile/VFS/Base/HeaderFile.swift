import CSQLite
import SealiteCrypto

/// The header region of an open file, through the base VFS's handle. `Documentation/FORMAT.md` §4.4.
package enum HeaderFile {
    package static func read(_ base: BaseFile) throws(VFSFailure) -> HeaderRegion {
        let bytes = try base.bytes(HeaderLayout.regionByteCount, at: 0).get()
        return try sealing { () throws(SealedFileError) in try HeaderRegion(parsing: bytes) }
    }

    /// The header, if it isn't the one known. Copy 0 is written first, so its generation alone says so, and its database id
    /// whether this is still the same database.
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

    /// Writes the stale copy anew, if there is one. Only under the write lock.
    static func heal(_ region: HeaderRegion, on base: BaseFile) throws(VFSFailure) {
        guard let stale = region.staleCopy else { return }
        try writeCopy(region.image, stale, on: base)
    }

    /// Puts a new header in the place of both copies. A stale copy is mended first, so that one whole copy is there at
    /// any moment; then copy 0 goes before copy 1.
    static func replace(_ region: HeaderRegion, with image: HeaderImage, on base: BaseFile) throws(VFSFailure) {
        try heal(region, on: base)
        try writeCopy(image, 0, on: base)
        try writeCopy(image, 1, on: base)
    }

    /// The first header of an empty file.
    static func writeNew(_ image: HeaderImage, on base: BaseFile) throws(VFSFailure) {
        try writeCopy(image, 0, on: base)
        try writeCopy(image, 1, on: base)
    }

    private static func writeCopy(_ image: HeaderImage, _ copy: Int, on base: BaseFile) throws(VFSFailure) {
        try check(base.write(image.bytes, at: Int64(copy * HeaderLayout.copyByteCount)))
        try check(base.sync(SQLITE_SYNC_FULL))
    }
}

extension SealedFileError {
    /// Runs I/O of the VFS and turns its failure into an error for callers of the API.
    package static func mapping<R>(_ body: () throws(VFSFailure) -> R) throws(SealedFileError) -> R {
        do throws(VFSFailure) {
            return try body()
        } catch {
            throw error.detail ?? SealedFileError(sqlite: error.code, doing: "reading or writing the file")
        }
    }
}

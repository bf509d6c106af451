import CSQLite
public import SealiteFile

/// The progress of an unfinished key rotation.
public struct RotationState: Sendable, Codable, Equatable {
    /// The number of pages already sealed under the new key.
    public let pagesDone: Int
    /// The number of pages in the file, except those that were never written.
    public let pageCount: Int
}

extension SealedDatabase {
    /// Counts the pages that a key rotation has encrypted again, by the epoch number stored with each page. Returns nil
    /// if no rotation is in progress. Needs no key and authenticates nothing. Reads a few bytes of each page.
    ///
    /// - Throws: `SealedFileError`: as ``publicHeader(of:)``.
    public static func rotationState(of path: String) throws(SealedFileError) -> RotationState? {
        let vfs = VFSChoice.standard.base
        let content = try BaseHandle.readHeader(path, vfs: vfs).content
        guard content.rotation != nil else { return nil }
        let handle = try BaseHandle(path, vfs: vfs, flags: SQLITE_OPEN_READONLY)
        return try SealedFileError.mapping { () throws(VFSFailure) in
            let pageSize = Int64(content.pageSize)
            let count = (try handle.file.size().get() - Int64(HeaderLayout.regionByteCount)) / pageSize
            var (done, written) = (0, 0)
            for number in 0..<max(0, count) {
                let end = Int64(HeaderLayout.regionByteCount) + (number + 1) * pageSize
                let place = end - Int64(PageTrailer.byteCount) + Int64(PageTrailer.epoch)
                let bytes = try handle.file.bytes(4, at: place).get()
                guard bytes.count == 4 else { break }
                let epoch = bytes.readUInt32(at: 0)
                written += epoch == 0 ? 0 : 1
                done += epoch == content.epoch.epoch ? 1 : 0
            }
            return RotationState(pagesDone: done, pageCount: written)
        }
    }
}

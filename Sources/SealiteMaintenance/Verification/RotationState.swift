import CSQLite
public import SealiteFile

/// The progress of a rotation that is under way.
public struct RotationState: Sendable, Codable, Equatable {
    /// Pages that are sealed under the new key already.
    public let pagesDone: Int
    /// Pages in the file, those left out that were never written.
    public let pageCount: Int
}

extension SealedDatabase {
    /// Counts the pages that a rotation has sealed anew, by the epoch that each names; nil where no rotation is under way.
    /// Needs no key and checks none of it. Reads a few bytes of each page.
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

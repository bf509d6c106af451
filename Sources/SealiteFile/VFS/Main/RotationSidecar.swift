import CSQLite
import SealiteCrypto

/// The open sidecar of a database: the file `<db>-rotate`, in which a key rotation makes the new images of a batch of
/// pages durable before it writes them to the database file.
@safe package final class RotationSidecar {
    private let handle: BaseHandle
    private let ring: KeyRing
    private let key: SecretBytes
    private let masterID: [UInt8]

    private static let pieceByteCount = 65536

    static func path(of database: String) -> String { database + "-rotate" }

    /// Opens the sidecar, or creates it if `create` is true. Returns nil if it doesn't exist and isn't to be created.
    package init?(
        of database: String, vfs: String, ring: KeyRing, create: Bool, isReadOnly: Bool = false
    ) throws(SealedFileError) {
        let path = Self.path(of: database)
        let exists = try BaseHandle.exists(path, vfs: vfs)
        guard create || exists else { return nil }
        self.ring = ring
        masterID = ring.content.masterID
        key = try ring.subkey(.sidecar)
        // Opened as a journal, so that the VFS creates it with the owner and mode of the database.
        let flags = isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | (create ? SQLITE_OPEN_CREATE : 0)
        do throws(SealedFileError) {
            handle = try BaseHandle(path, vfs: vfs, flags: flags, kind: SQLITE_OPEN_MAIN_JOURNAL)
        } catch {
            // The rotation may have ended meanwhile and removed its sidecar.
            let isStillThere = try BaseHandle.exists(path, vfs: vfs)
            guard !create, !isStillThere else { throw error }
            return nil
        }
    }

    package func batch() throws(VFSFailure) -> SidecarBatch? {
        try SidecarBatch.read(handle.file, databaseID: ring.databaseID, masterID: masterID, key: key)
    }

    /// Writes the page images of a batch and the header that marks the batch as open, and makes both durable with one
    /// fsync. After a crash, the images of an open batch are written to the database file again.
    func open(_ batch: SidecarBatch, images: UnsafeRawBufferPointer) throws(VFSFailure) {
        assert(batch.isOpen, "images are written for an open batch")
        precondition(images.count == batch.pages.count * ring.pageSize, "a page would be replaced by that of another")
        guard let start = images.baseAddress else { return }
        let offset = SidecarLayout.imagesOffset(pageCount: batch.pages.count)
        // In pieces: the unix VFS writes at most 128 KiB per call and reports the rest as a full disk.
        for place in stride(from: 0, to: images.count, by: Self.pieceByteCount) {
            let count = min(Self.pieceByteCount, images.count - place)
            try unsafe check(handle.file.write(start + place, count, at: offset + Int64(place)))
        }
        try mark(batch)
        try check(handle.file.sync(SQLITE_SYNC_FULL))
    }

    /// Marks a batch as closed, after all its images were written to the database file and made durable there. No fsync
    /// is needed: if the mark is lost, the images are written once more with the same result.
    func close(_ batch: SidecarBatch) throws(VFSFailure) {
        assert(batch.isOpen, "a batch closes once")
        var closed = batch
        closed.isOpen = false
        try mark(closed)
    }

    private func mark(_ batch: SidecarBatch) throws(VFSFailure) {
        let bytes: [UInt8]
        do throws(CryptoError) {
            bytes = try batch.encoded(databaseID: ring.databaseID, key: key)
        } catch {
            throw VFSFailure(SealedFileError(crypto: error))
        }
        try check(handle.file.write(bytes, at: 0))
    }

    /// Reads the image of the page `batch.pages[index]` into `buffer`. Returns false if the file ends before the end of
    /// the image.
    package func readImage(_ index: Int, of batch: SidecarBatch, into buffer: UnsafeMutableRawPointer)
        throws(VFSFailure)
        -> Bool
    {
        precondition(batch.pages.indices.contains(index), "the image of a page would be that of another")
        let offset =
            SidecarLayout.imagesOffset(pageCount: batch.pages.count) + Int64(index) * Int64(ring.pageSize)
        let code = unsafe handle.file.read(into: buffer, ring.pageSize, at: offset)
        guard code == SQLITE_OK || code == SQLITE_IOERR_SHORT_READ else { throw VFSFailure(code) }
        return code == SQLITE_OK
    }
}

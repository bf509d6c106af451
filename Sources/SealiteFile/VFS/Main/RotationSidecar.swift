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

/// The layout of the sidecar, the file `<db>-rotate`: new images of one batch of pages of a key rotation, made durable
/// before any of them is written to the database file. `Documentation/FORMAT.md` §14.
enum SidecarLayout {
    static let magic: [UInt8] = Array("SealRot1".utf8)
    static let preambleByteCount = 512
    static let tableOffset: Int64 = 512
    static let pageLimit = 4096
    static let isOpen: UInt32 = 1

    /// Returns the offset of the first image in the sidecar: after the table of `pageCount` page numbers, rounded up to
    /// a multiple of 4096.
    static func imagesOffset(pageCount: Int) -> Int64 {
        assert(pageCount >= 0)
        let end = Int(tableOffset) + 4 * pageCount
        return Int64((end + 4095) / 4096 * 4096)
    }
}

/// A batch of pages that a key rotation has sealed under the new key, as described at the beginning of the rotation's
/// sidecar. The images of the pages follow there.
package struct SidecarBatch: Equatable {
    var masterID: [UInt8]
    var serial: UInt64
    package var isOpen: Bool
    /// The number of the last page of the batch.
    var progress: UInt32
    /// The number of pages in the database when the batch was made.
    var pageCount: UInt32
    package var pages: [UInt32]

    /// Encodes the preamble of 512 bytes and the table of page numbers. The preamble has at offset 64 a MAC over its
    /// first 64 bytes and the table.
    func encoded(databaseID: [UInt8], key: borrowing SecretBytes) throws(CryptoError) -> [UInt8] {
        precondition(pages.count <= SidecarLayout.pageLimit, "no reader would take a longer table")
        assert(databaseID.count == 16 && masterID.count == 16, "another length would overwrite the next field")
        assert(pages.last == nil || pages.last == progress, "the progress is the last page of the batch")
        var bytes = [UInt8](repeating: 0, count: SidecarLayout.preambleByteCount)
        bytes.write(SidecarLayout.magic, at: 0)
        bytes.write(databaseID, at: 8)
        bytes.write(masterID, at: 24)
        bytes.write(serial, at: 40)
        bytes.write(isOpen ? SidecarLayout.isOpen : 0, at: 48)
        bytes.write(progress, at: 52)
        bytes.write(pageCount, at: 56)
        bytes.write(UInt32(pages.count), at: 60)
        let table = pages.flatMap { [UInt8].littleEndian($0) }
        bytes.write(try HMACSHA256.authenticationCode(for: bytes.slice(0, 64) + table, key: key), at: 64)
        return bytes + table
    }

    /// Reads the preamble and the table; nil unless both are whole and authentic and belong to this database and master
    /// key.
    static func read(
        _ file: BaseFile, databaseID: [UInt8], masterID: [UInt8], key: borrowing SecretBytes
    ) throws(VFSFailure) -> SidecarBatch? {
        let bytes = try file.bytes(SidecarLayout.preambleByteCount, at: 0).get()
        guard bytes.count == SidecarLayout.preambleByteCount, bytes.starts(with: SidecarLayout.magic),
            bytes.slice(8, 16) == databaseID, bytes.slice(24, 16) == masterID
        else { return nil }
        let count = Int(bytes.readUInt32(at: 60))
        guard count <= SidecarLayout.pageLimit else { return nil }
        let table = try file.bytes(4 * count, at: SidecarLayout.tableOffset).get()
        guard table.count == 4 * count else { return nil }
        let isAuthentic: Bool
        do throws(CryptoError) {
            isAuthentic = try HMACSHA256.isValid(bytes.slice(64, 32), for: bytes.slice(0, 64) + table, key: key)
        } catch {
            throw VFSFailure(SealedFileError(crypto: error))
        }
        guard isAuthentic else { return nil }
        return SidecarBatch(
            masterID: masterID, serial: bytes.readUInt64(at: 40),
            isOpen: bytes.readUInt32(at: 48) == SidecarLayout.isOpen,
            progress: bytes.readUInt32(at: 52), pageCount: bytes.readUInt32(at: 56),
            pages: (0..<count).map { table.readUInt32(at: 4 * $0) })
    }
}

import CSQLite
import SealiteCrypto

/// The journal of a rotation, `<db>-rotate`: new images of one batch of pages, durable before any of them is written in place.
/// `Documentation/FORMAT.md` §14.
enum SidecarLayout {
    static let magic: [UInt8] = Array("SealRot1".utf8)
    static let preambleByteCount = 512
    static let tableOffset: Int64 = 512
    static let pageLimit = 4096
    static let isOpen: UInt32 = 1

    /// The offset of the images: behind the table, at a multiple of 4096.
    static func imagesOffset(pageCount: Int) -> Int64 {
        let end = Int(tableOffset) + 4 * pageCount
        return Int64((end + 4095) / 4096 * 4096)
    }
}

/// The sidecar's description of its batch.
package struct SidecarBatch: Equatable {
    var masterID: [UInt8]
    var serial: UInt64
    package var isOpen: Bool
    /// The page that the rotation has come to, and how many there were when the batch was made.
    var progress: UInt32
    var pageCount: UInt32
    package var pages: [UInt32]

    /// The 512 bytes and the table, with the code that binds them.
    func encoded(databaseID: [UInt8], key: borrowing SecretBytes) throws(CryptoError) -> [UInt8] {
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

    /// Reads the preamble; nil where it isn't whole and ours.
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

/// The sidecar of one database, open.
@safe package final class RotationSidecar {
    private let handle: BaseHandle
    private let ring: KeyRing
    private let key: SecretBytes
    private let masterID: [UInt8]

    private static let pieceByteCount = 65536

    static func path(of database: String) -> String { database + "-rotate" }

    /// Opens the sidecar, or makes it. Nil where there is none and none shall be made.
    package init?(
        of database: String, vfs: String, ring: KeyRing, create: Bool, isReadOnly: Bool = false
    ) throws(SealedFileError) {
        let path = Self.path(of: database)
        let exists = try BaseHandle.exists(path, vfs: vfs)
        guard create || exists else { return nil }
        self.ring = ring
        masterID = ring.content.masterID
        guard let key = try ring.subkey(.sidecar) else { return nil }
        self.key = key
        // As a journal: it inherits owner and mode from the database.
        let flags = isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | (create ? SQLITE_OPEN_CREATE : 0)
        do throws(SealedFileError) {
            handle = try BaseHandle(path, vfs: vfs, flags: flags, kind: SQLITE_OPEN_MAIN_JOURNAL)
        } catch {
            // The rotation may have ended since we looked, and its sidecar with it.
            let isStillThere = try BaseHandle.exists(path, vfs: vfs)
            guard !create, !isStillThere else { throw error }
            return nil
        }
    }

    package func batch() throws(VFSFailure) -> SidecarBatch? {
        try SidecarBatch.read(handle.file, databaseID: ring.databaseID, masterID: masterID, key: key)
    }

    /// Makes a batch durable: its images, then (in the same sync) the mark that it is open.
    func open(_ batch: SidecarBatch, images: UnsafeRawBufferPointer) throws(VFSFailure) {
        guard let start = images.baseAddress else { return }
        let offset = SidecarLayout.imagesOffset(pageCount: batch.pages.count)
        // In pieces: the unix VFS writes at most 128 KiB in one call and takes what is left over for a full disk.
        for place in stride(from: 0, to: images.count, by: Self.pieceByteCount) {
            let count = min(Self.pieceByteCount, images.count - place)
            try unsafe check(handle.file.write(start + place, count, at: offset + Int64(place)))
        }
        try mark(batch)
        try check(handle.file.sync(SQLITE_SYNC_FULL))
    }

    /// Says that every image has been written in place and synced. Needs no sync of its own: a batch found open is finished
    /// again, which changes nothing.
    func close(_ batch: SidecarBatch) throws(VFSFailure) {
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

    /// Reads the image at a place of the batch into `buffer`.
    package func readImage(_ index: Int, of batch: SidecarBatch, into buffer: UnsafeMutableRawPointer)
        throws(VFSFailure)
        -> Bool
    {
        let offset =
            SidecarLayout.imagesOffset(pageCount: batch.pages.count) + Int64(index) * Int64(ring.pageSize)
        let code = unsafe handle.file.read(into: buffer, ring.pageSize, at: offset)
        guard code == SQLITE_OK || code == SQLITE_IOERR_SHORT_READ else { throw VFSFailure(code) }
        return code == SQLITE_OK
    }
}

import SealiteCrypto

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

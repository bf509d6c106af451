import SealiteCrypto

/// The first 48 bytes of the plaintext of a journal unit, an encrypted block of a sealed rollback journal. The payload
/// follows them.
package struct JournalUnitHeader: Equatable {
    enum Kind: UInt32 {
        case data = 0
        /// A unit without payload that records how many units are durable.
        case mark = 1
        /// A unit that truncates the logical journal, the one that SQLite sees, to `logicalOffset` bytes.
        case cut = 2
    }

    package var id: [UInt8]
    var logicalOffset: Int64
    var payloadByteCount: Int
    package var synced: Int
    package var serial: UInt32
    var kind: Kind

    func encoded() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: JournalLayout.unitHeaderByteCount)
        unsafe bytes.withUnsafeMutableBytes { unsafe write(to: $0) }
        return bytes
    }

    /// Writes the header into `bytes`, which must be zeros. Allocates no array, because a transaction writes a header
    /// for every page that it changes.
    func write(to bytes: UnsafeMutableRawBufferPointer) {
        precondition(bytes.count >= JournalLayout.unitHeaderByteCount, "the header is stored by address")
        assert(id.count == JournalLayout.idByteCount, "another length would overwrite the next field")
        assert(
            payloadByteCount <= JournalLayout.payloadByteCount && logicalOffset >= 0, "a reader takes no other values")
        assert(kind == .data || payloadByteCount == 0, "a mark and a cut have no payload")
        unsafe bytes.copyBytes(from: id)
        unsafe bytes.storeBytes(of: logicalOffset.littleEndian, toByteOffset: 16, as: Int64.self)
        unsafe bytes.storeBytes(of: UInt32(payloadByteCount).littleEndian, toByteOffset: 24, as: UInt32.self)
        unsafe bytes.storeBytes(of: UInt32(synced).littleEndian, toByteOffset: 28, as: UInt32.self)
        unsafe bytes.storeBytes(of: serial.littleEndian, toByteOffset: 32, as: UInt32.self)
        unsafe bytes.storeBytes(of: kind.rawValue.littleEndian, toByteOffset: 36, as: UInt32.self)
    }

    /// Parses the header of an authenticated unit; nil if a field has a value that no writer produces.
    static func parse(_ bytes: [UInt8]) -> JournalUnitHeader? {
        guard bytes.count == JournalLayout.unitHeaderByteCount, let kind = Kind(rawValue: bytes.readUInt32(at: 36)),
            bytes.readUInt64(at: 40) == 0, bytes.readUInt64(at: 16) < 1 << 62,
            bytes.readUInt32(at: 24) <= UInt32(JournalLayout.payloadByteCount)
        else { return nil }
        return JournalUnitHeader(
            id: bytes.slice(0, 16), logicalOffset: Int64(bytes.readUInt64(at: 16)),
            payloadByteCount: Int(bytes.readUInt32(at: 24)), synced: Int(bytes.readUInt32(at: 28)),
            serial: bytes.readUInt32(at: 32), kind: kind)
    }
}

import SealiteCrypto

/// The sealed rollback journal's layout. `Documentation/FORMAT.md` §8.
package enum JournalLayout {
    package static let preambleByteCount = 32
    package static let unitByteCount = 4096
    package static let payloadByteCount = 4000
    package static let textByteCount = 4048
    static let unitHeaderByteCount = 48
    static let idByteCount = 16
    /// The first byte is 0, so that an SQLite without our VFS takes the journal for a finished one.
    static let magic: [UInt8] = [0] + Array("SealJn1".utf8)

    package static func offset(ofUnit index: Int) -> Int64 { Int64(unitByteCount) * Int64(1 + index) }

    /// Returns the number of whole units that a file of this size has room for.
    package static func unitCount(fileByteCount: Int64) -> Int {
        max(0, Int(fileByteCount / Int64(unitByteCount)) - 1)
    }
}

/// The clear 32 bytes in front of a journal.
package struct JournalPreamble: Equatable {
    package var id: [UInt8]
    package var serial: UInt32

    package init(id: [UInt8], serial: UInt32) {
        self.id = id
        self.serial = serial
    }

    /// The meaning of the first 32 bytes of a journal.
    package enum Reading: Equatable {
        /// Zeros or nothing: no journal.
        case none
        case whole(JournalPreamble)
        /// Neither: torn, or not ours.
        case broken
    }

    package static func read(_ bytes: [UInt8]) -> Reading {
        if bytes.allSatisfy({ $0 == 0 }) { return .none }
        guard bytes.count == JournalLayout.preambleByteCount, bytes.starts(with: JournalLayout.magic) else {
            return .broken
        }
        let preamble = JournalPreamble(id: bytes.slice(8, 16), serial: bytes.readUInt32(at: 24))
        return (try? preamble.encoded()) == bytes ? .whole(preamble) : .broken
    }

    func encoded() throws(CryptoError) -> [UInt8] {
        let front = JournalLayout.magic + id + [UInt8].littleEndian(serial)
        return front + Array(try SHA256.digest(of: front)[0..<4])
    }
}

/// The 48 bytes inside a unit's sealed text, before the payload.
package struct JournalUnitHeader: Equatable {
    enum Kind: UInt32 {
        case data = 0
        /// No payload: says how many units were durable.
        case mark = 1
        /// The logical journal is cut to the logical offset.
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

    /// Writes the header over zeros, without an array in between: there is one for every page that a transaction changes.
    func write(to bytes: UnsafeMutableRawBufferPointer) {
        unsafe bytes.copyBytes(from: id)
        unsafe bytes.storeBytes(of: logicalOffset.littleEndian, toByteOffset: 16, as: Int64.self)
        unsafe bytes.storeBytes(of: UInt32(payloadByteCount).littleEndian, toByteOffset: 24, as: UInt32.self)
        unsafe bytes.storeBytes(of: UInt32(synced).littleEndian, toByteOffset: 28, as: UInt32.self)
        unsafe bytes.storeBytes(of: serial.littleEndian, toByteOffset: 32, as: UInt32.self)
        unsafe bytes.storeBytes(of: kind.rawValue.littleEndian, toByteOffset: 36, as: UInt32.self)
    }

    /// Reads the header of a unit that authenticated; nil where a field holds what no writer writes.
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

import SealiteCrypto

/// SQLite's record at the end of a rollback journal that belongs to a super-journal: page number, name, length,
/// checksum, magic. https://sqlite.org/atomiccommit.html
enum SuperRecord {
    static let magic: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]
    private static let nameLimit: UInt32 = 64 * 1024

    static func read(
        endingAt end: Int64, _ bytes: (Int, Int64) throws(VFSFailure) -> [UInt8]
    ) throws(VFSFailure) -> [UInt8]? {
        guard end >= 20 else { return nil }
        let tail = try bytes(16, end - 16)
        guard tail.count == 16, tail.suffix(8) == magic[...] else { return nil }
        let length = WALHeader.readUInt32(tail, at: 0)
        guard length > 0, length <= nameLimit, Int64(length) + 20 <= end else { return nil }
        let record = try bytes(Int(length) + 20, end - Int64(length) - 20)
        guard record.count == Int(length) + 20 else { return nil }
        // SQLite sums the name's bytes as signed characters.
        let sum = record[4..<4 + Int(length)].reduce(UInt32(0)) {
            $0 &+ UInt32(bitPattern: Int32(Int8(bitPattern: $1)))
        }
        return sum == WALHeader.readUInt32(tail, at: 4) ? record : nil
    }
}

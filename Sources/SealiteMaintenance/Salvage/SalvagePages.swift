import SealiteFile

/// The remains of one page of a damaged file.
enum SalvagedPage {
    /// Authentic: its bytes in plain, the last 48 zeros.
    case text([UInt8])
    /// All zeros on disk.
    case neverWritten
    /// Altered, torn, cut off or unreadable.
    case lost
}

/// The pages of a damaged database as its reader gets them, by number from 1. It never trusts what they say: every number in
/// them may be wrong.
struct SalvagePages {
    let pageSize: Int
    let pageCount: UInt32
    /// True where pages may be of different commits, because some of a log's frames are lost: then what one page says of another
    /// may be out of date.
    var mayContradict = false
    let read: (UInt32) -> SalvagedPage

    /// The bytes of a page that SQLite uses.
    var usable: Int { pageSize - HeaderLayout.reservedByteCount }

    /// The page that is never written. https://sqlite.org/fileformat2.html#the_lock_byte_page
    var lockBytePage: UInt32 { UInt32(0x4000_0000 / pageSize) + 1 }

    /// Returns whether a page of this number can be there.
    func contains(_ number: UInt32) -> Bool { number >= 1 && number <= pageCount && number != lockBytePage }

    func text(_ number: UInt32) -> [UInt8]? {
        guard contains(number), case .text(let bytes) = read(number) else { return nil }
        return bytes
    }
}

extension [UInt8] {
    /// A big-endian number, as SQLite stores them. The caller has checked the bounds.
    func bigEndian16(at offset: Int) -> Int { Int(self[offset]) << 8 | Int(self[offset + 1]) }

    func bigEndian32(at offset: Int) -> UInt32 {
        UInt32(self[offset]) << 24 | UInt32(self[offset + 1]) << 16 | UInt32(self[offset + 2]) << 8
            | UInt32(self[offset + 3])
    }

    /// SQLite's variable-length integer, and how many bytes it takes; nil where it reaches `end`.
    /// https://sqlite.org/fileformat2.html#varint
    func varint(at offset: Int, end: Int) -> (value: UInt64, byteCount: Int)? {
        var value: UInt64 = 0
        for index in 0..<9 {
            guard offset + index < end else { return nil }
            let byte = self[offset + index]
            if index == 8 { return (value << 8 | UInt64(byte), 9) }
            value = value << 7 | UInt64(byte & 0x7F)
            if byte & 0x80 == 0 { return (value, index + 1) }
        }
        return nil
    }
}

import SealiteFile

/// The pages of a damaged database, by number from 1. Their content isn't trusted: every number in them may be wrong.
struct SalvagePages {
    let pageSize: Int
    let pageCount: UInt32
    /// A Boolean value that says whether pages may belong to different commits because frames of the log or blocks of
    /// the journal are lost: references between pages may then be out of date.
    var mayContradict = false
    let read: (UInt32) -> SalvagedPage

    /// The number of bytes of a page that SQLite uses.
    var usable: Int { pageSize - HeaderLayout.reservedByteCount }

    /// The number of the page that contains SQLite's lock bytes and is never written.
    /// https://sqlite.org/fileformat2.html#the_lock_byte_page
    var lockBytePage: UInt32 { UInt32(0x4000_0000 / pageSize) + 1 }

    /// Returns whether a page of this number can exist.
    func contains(_ number: UInt32) -> Bool { number >= 1 && number <= pageCount && number != lockBytePage }

    func text(_ number: UInt32) -> [UInt8]? {
        guard contains(number), case .text(let bytes) = read(number) else { return nil }
        return bytes
    }
}

extension [UInt8] {
    /// Returns the 16-bit number at an offset, in SQLite's byte order, big-endian. The caller has checked the bounds.
    func bigEndian16(at offset: Int) -> Int { Int(self[offset]) << 8 | Int(self[offset + 1]) }

    func bigEndian32(at offset: Int) -> UInt32 {
        UInt32(self[offset]) << 24 | UInt32(self[offset + 1]) << 16 | UInt32(self[offset + 2]) << 8
            | UInt32(self[offset + 3])
    }

    /// Returns SQLite's variable-length integer and its length in bytes; nil if it extends beyond `end`.
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

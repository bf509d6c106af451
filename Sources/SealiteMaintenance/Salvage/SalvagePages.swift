import SealiteFile

/// The pages of a damaged database, by number from 1. Their content isn't trusted: every number in them may be wrong.
struct SalvagePages {
    let pageSize: Int
    let pageCount: UInt32
    /// A Boolean value that says whether pages may belong to different commits because frames of the log or blocks of
    /// the journal are lost: references between pages may then be out of date.
    var mayContradict = false
    /// The number of bytes at the end of each page that SQLite doesn't use.
    var reservedByteCount = HeaderLayout.reservedByteCount
    let read: (UInt32) -> SalvagedPage

    /// The number of bytes of a page that SQLite uses.
    var usable: Int { pageSize - reservedByteCount }

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

/// The settings of a damaged database, from its page 1; SQLite's defaults if that page is lost.
/// https://sqlite.org/fileformat2.html#the_database_header
struct SalvagedSettings {
    var encoding = TextEncoding.utf8
    var autoVacuum = AutoVacuum.none
    var userVersion: Int32 = 0
    var applicationID: Int32 = 0
    var isWAL = false
    /// A Boolean value that says whether page 1 could be read.
    var isKnown = false

    init(_ pages: SalvagePages) {
        guard let pageOne = pages.text(1) else { return }
        encoding = TextEncoding(rawValue: pageOne.bigEndian32(at: 56)) ?? .utf8
        if pageOne.bigEndian32(at: 52) != 0 {
            autoVacuum = pageOne.bigEndian32(at: 64) != 0 ? .incremental : .full
        }
        userVersion = Int32(bitPattern: pageOne.bigEndian32(at: 60))
        applicationID = Int32(bitPattern: pageOne.bigEndian32(at: 68))
        isWAL = pageOne[18] == 2
        isKnown = true
    }
}

/// The text encodings of a database. https://sqlite.org/fileformat2.html#enc
enum TextEncoding: UInt32 {
    case utf8 = 1
    case utf16LittleEndian = 2
    case utf16BigEndian = 3

    /// The encoding's name in `PRAGMA encoding`.
    var name: String {
        switch self {
        case .utf8: "UTF-8"
        case .utf16LittleEndian: "UTF-16le"
        case .utf16BigEndian: "UTF-16be"
        }
    }

    func string(_ bytes: ArraySlice<UInt8>) -> String? {
        guard self != .utf8 else { return String(validating: bytes, as: UTF8.self) }
        var units: [UInt16] = []
        var index = bytes.startIndex
        while index + 1 < bytes.endIndex {
            let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
            units.append(self == .utf16LittleEndian ? second << 8 | first : first << 8 | second)
            index += 2
        }
        return String(validating: units, as: UTF16.self)
    }
}

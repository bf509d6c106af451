import SealiteFile

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

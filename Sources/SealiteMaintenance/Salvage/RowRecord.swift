import SealiteFile

/// A row as SQLite stores it: a header of types, then the values. https://sqlite.org/fileformat2.html#record_format
struct RowRecord {
    enum Field {
        case null
        case integer(Int64)
        case real(Double)
        /// Bytes of the payload, in the database's text encoding.
        case text(Range<Int>)
        case blob(Range<Int>)
    }

    let payload: [UInt8]
    let fields: [Field]

    /// Makes nil of a payload that isn't a whole record.
    init?(_ payload: [UInt8]) { self.init(payload, isWhole: true) }

    /// The leading fields that lie wholly in the beginning of a payload whose end is lost; nil where not even the header does.
    init?(prefix payload: [UInt8]) { self.init(payload, isWhole: false) }

    private init?(_ payload: [UInt8], isWhole: Bool) {
        guard let headerSize = payload.varint(at: 0, end: payload.count), headerSize.value <= UInt64(payload.count)
        else { return nil }
        let headerEnd = Int(headerSize.value)
        var offset = headerSize.byteCount
        var place = headerEnd
        var fields: [Field] = []
        while offset < headerEnd {
            guard let type = payload.varint(at: offset, end: headerEnd), let size = Self.byteCount(ofType: type.value)
            else { return nil }
            guard size <= payload.count - place else {
                if isWhole { return nil }
                break
            }
            fields.append(Self.field(type.value, payload, place..<place + size))
            offset += type.byteCount
            place += size
        }
        self.payload = payload
        self.fields = fields
    }

    private static func byteCount(ofType type: UInt64) -> Int? {
        switch type {
        case 0, 8, 9: 0
        case 1...4: Int(type)
        case 5: 6
        case 6, 7: 8
        case 10, 11: nil
        default: type / 2 - 6 <= UInt64(Int32.max) ? Int(type / 2 - 6) : nil
        }
    }

    private static func field(_ type: UInt64, _ payload: [UInt8], _ place: Range<Int>) -> Field {
        switch type {
        case 0: return .null
        case 8: return .integer(0)
        case 9: return .integer(1)
        case 1...6: return .integer(integer(payload[place]))
        case 7: return .real(Double(bitPattern: UInt64(bitPattern: integer(payload[place]))))
        default: return type % 2 == 0 ? .blob(place) : .text(place)
        }
    }

    /// A big-endian number in two's complement.
    private static func integer(_ bytes: ArraySlice<UInt8>) -> Int64 {
        guard let first = bytes.first else { return 0 }
        return bytes.dropFirst().reduce(Int64(Int8(bitPattern: first))) { $0 << 8 | Int64($1) }
    }

    /// A field as text, where it is text that `encoding` can hold.
    func text(_ index: Int, _ encoding: TextEncoding) -> String? {
        guard fields.indices.contains(index), case .text(let place) = fields[index] else { return nil }
        return encoding.string(payload[place])
    }

    func integer(_ index: Int) -> Int64? {
        guard fields.indices.contains(index), case .integer(let value) = fields[index] else { return nil }
        return value
    }
}

/// The encodings in which a database stores its text. https://sqlite.org/fileformat2.html#enc
enum TextEncoding: UInt32 {
    case utf8 = 1
    case utf16LittleEndian = 2
    case utf16BigEndian = 3

    /// For `PRAGMA encoding`.
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

/// A row in SQLite's record format: a header of types, then the values.
/// https://sqlite.org/fileformat2.html#record_format
struct RowRecord {
    enum Field {
        case null
        case integer(Int64)
        case real(Double)
        /// The range in `payload` of the text's bytes, in the database's text encoding.
        case text(Range<Int>)
        /// The range in `payload` of the blob's bytes.
        case blob(Range<Int>)
    }

    let payload: [UInt8]
    let fields: [Field]

    /// Parses a payload; nil if it isn't a whole record.
    init?(_ payload: [UInt8]) { self.init(payload, isWhole: true) }

    /// Parses the leading fields that are complete in a payload whose end is lost; nil if the header is incomplete.
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

    /// Returns a big-endian integer in two's complement.
    private static func integer(_ bytes: ArraySlice<UInt8>) -> Int64 {
        guard let first = bytes.first else { return 0 }
        return bytes.dropFirst().reduce(Int64(Int8(bitPattern: first))) { $0 << 8 | Int64($1) }
    }

    /// Returns a field's text; nil if it isn't text that is valid in `encoding`.
    func text(_ index: Int, _ encoding: TextEncoding) -> String? {
        guard fields.indices.contains(index), case .text(let place) = fields[index] else { return nil }
        return encoding.string(payload[place])
    }

    func integer(_ index: Int) -> Int64? {
        guard fields.indices.contains(index), case .integer(let value) = fields[index] else { return nil }
        return value
    }
}

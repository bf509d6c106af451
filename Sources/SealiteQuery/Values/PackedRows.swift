internal import SealiteDatabase

/// The rows of a result in a few blocks of bytes, for results of which all rows are kept: a row takes the size of its values and a
/// few bytes for each, where an array of query values takes some hundred.
struct PackedRows: Sequence {
    private var blocks: [[UInt8]] = []
    private(set) var count = 0

    /// The number of bytes from which a block takes no further row.
    private static let blockByteCount = 1 << 20

    /// Appends the row that a statement is at.
    mutating func append(_ row: borrowing PreparedStatement) {
        append((0..<CInt(row.columnCount)).map { QueryValue(row, $0) })
    }

    mutating func append(_ row: [QueryValue]) {
        if blocks.last.map({ $0.count >= Self.blockByteCount }) ?? true { blocks.append([]) }
        let last = blocks.count - 1
        blocks[last].append(integer: Int64(row.count))
        for value in row { blocks[last].append(value) }
        count += 1
    }

    func makeIterator() -> Iterator { Iterator(blocks) }

    struct Iterator: IteratorProtocol {
        private let blocks: [[UInt8]]
        private var (block, position) = (0, 0)

        fileprivate init(_ blocks: [[UInt8]]) { self.blocks = blocks }

        mutating func next() -> [QueryValue]? {
            guard block < blocks.count else { return nil }
            let row = (0..<blocks[block].integer(at: &position)).map { _ in blocks[block].value(at: &position) }
            if position == blocks[block].count { (block, position) = (block + 1, 0) }
            return row
        }
    }
}

/// The bytes by which values are told apart.
private enum ValueTag {
    static let (missing, integer, real, text, element): (UInt8, UInt8, UInt8, UInt8, UInt8) = (0, 1, 2, 3, 4)
}

extension [UInt8] {
    fileprivate mutating func append(_ value: QueryValue) {
        switch value {
        case .missing: append(ValueTag.missing)
        case .integer(let integer):
            append(ValueTag.integer)
            append(integer: integer)
        case .real(let double):
            append(ValueTag.real)
            append(integer: Int64(bitPattern: double.bitPattern))
        case .text(let text):
            append(ValueTag.text)
            append(integer: Int64(text.utf8.count))
            append(contentsOf: text.utf8)
        case .element(let bytes):
            append(ValueTag.element)
            append(integer: Int64(bytes.count))
            append(contentsOf: bytes)
        }
    }

    /// Appends a number in base 128, the lowest digits first, each but the last with its highest bit set.
    fileprivate mutating func append(integer: Int64) {
        var rest = UInt64(bitPattern: integer)
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(rest))
    }

    fileprivate func integer(at position: inout Int) -> Int64 {
        var (value, shift) = (UInt64(0), UInt64(0))
        while true {
            let byte = self[position]
            position += 1
            value |= UInt64(byte & 0x7f) << shift
            guard byte >= 0x80 else { return Int64(bitPattern: value) }
            shift += 7
        }
    }

    fileprivate func value(at position: inout Int) -> QueryValue {
        let tag = self[position]
        position += 1
        guard tag != ValueTag.missing else { return .missing }
        let number = integer(at: &position)
        switch tag {
        case ValueTag.integer: return .integer(number)
        case ValueTag.real: return .real(Double(bitPattern: UInt64(bitPattern: number)))
        default:
            let bytes = self[position..<position + Int(number)]
            position += Int(number)
            return tag == ValueTag.text ? .text(String(decoding: bytes, as: UTF8.self)) : .element(Array(bytes))
        }
    }
}

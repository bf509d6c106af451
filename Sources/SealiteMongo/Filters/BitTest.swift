internal import SealiteValues

/// The test of `$bitsAllSet`, `$bitsAnySet`, `$bitsAllClear` or `$bitsAnyClear`.
struct BitTest: Sendable {
    /// The quantifier over the bits at the positions: all of them, or at least one.
    enum Quantifier: Sendable {
        case all
        case any
    }

    let quantifier: Quantifier
    /// A Boolean value that says whether the bits at the positions must be set; otherwise they must be clear.
    let wantsSet: Bool
    /// The positions of the bits to test, 0 for the least significant one.
    let positions: [Int]

    /// The highest position of a bit that an operand may have.
    static let maximumPosition = Int(Int32.max)

    /// Returns a Boolean value that says whether a value is an integral number or binary data, and has the required
    /// bits.
    func holds<Node: FilterNode>(for node: Node, in bytes: borrowing Span<UInt8>) -> Bool {
        guard let type = node.type(in: bytes), type.isNumber || type == .binary, let bits = Bits(node.value(in: bytes))
        else { return false }
        switch quantifier {
        case .all: return positions.allSatisfy { bits[$0] == wantsSet }
        case .any: return positions.contains { bits[$0] == wantsSet }
        }
    }

    /// The bits of a value.
    private enum Bits {
        /// Two's complement, sign-extended without end.
        case number(Int64)
        /// Bit 0 is the least significant bit of the first byte; bits after the last byte are clear.
        case bytes([UInt8])

        init?(_ value: BSON) {
            switch value {
            case .int32(let number): self = .number(Int64(number))
            case .int64(let number): self = .number(number)
            case .double, .decimal128:
                guard let number = value.exactInt64 else { return nil }
                self = .number(number)
            case .binary(let binary): self = .bytes(binary.bytes)
            default: return nil
            }
        }

        subscript(position: Int) -> Bool {
            switch self {
            case .number(let number): number >> Int64(min(position, 63)) & 1 == 1
            case .bytes(let bytes): position / 8 < bytes.count && bytes[position / 8] >> UInt8(position % 8) & 1 == 1
            }
        }
    }
}

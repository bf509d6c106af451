/// Computes the 128-bit hash of a sequence of values with two keyed hash functions.
struct RowHasher {
    // `Hasher` has a random key for each process too, but an environment variable of the Swift runtime can fix it.
    private static let keys = (UInt64.random(in: 0 ... .max), UInt64.random(in: 0 ... .max))

    private var first = Hasher()
    private var second = Hasher()

    init() {
        first.combine(Self.keys.0)
        first.combine(0)
        second.combine(Self.keys.1)
        second.combine(1)
    }

    /// Adds a value to the hash, preceded by its kind and, unless its size is fixed, by its length.
    mutating func combine(_ value: QueryValue) {
        switch value {
        case .missing: number(0, 0)
        case .integer(let integer): number(1, UInt64(bitPattern: integer))
        case .real(let double): number(2, double.bitPattern)
        case .text(let text): bytes(3, text.utf8.span)
        case .element(let element): bytes(4, element.span)
        }
    }

    /// Adds the values of a row and an end mark.
    mutating func combine(_ row: [QueryValue]) {
        for value in row { combine(value) }
        number(5, UInt64(row.count))
    }

    private mutating func number(_ kind: UInt8, _ bits: UInt64) {
        first.combine(kind)
        first.combine(bits)
        second.combine(kind)
        second.combine(bits)
    }

    private mutating func bytes(_ kind: UInt8, _ bytes: Span<UInt8>) {
        number(kind, UInt64(bytes.count))
        unsafe bytes.withUnsafeBytes { bytes in
            unsafe first.combine(bytes: bytes)
            unsafe second.combine(bytes: bytes)
        }
    }

    func finalize() -> RowHash {
        RowHash(
            first: UInt64(bitPattern: Int64(first.finalize())), second: UInt64(bitPattern: Int64(second.finalize())))
    }

    /// Returns the hash of one row.
    static func hash(_ row: [QueryValue]) -> RowHash {
        var hasher = RowHasher()
        hasher.combine(row)
        return hasher.finalize()
    }
}

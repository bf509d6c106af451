internal import SealiteValues

/// The remainder of the size limits for a value that an expression constructs.
///
/// Values share their parts: a value that takes little memory may expand to more than fits in memory, and visiting all
/// of it would take as long. Every operator that combines values therefore checks its result against these limits.
struct ValueSizeLimit {
    /// The maximum nesting depth of documents and arrays in a value that an expression constructs.
    private static let maximumDepth = 500

    /// The maximum number of values, nested ones included, in a value that an expression constructs.
    private static let maximumCount = 8_000_000
    /// The maximum number of bytes in BSON, not counting types and the indices of array items.
    private static let maximumByteCount = 64 << 20
    /// The number of values, nested ones included, that may still be added.
    private var count = ValueSizeLimit.maximumCount
    /// The number of bytes in BSON, not counting types and the indices of array items, that may still be added.
    private var byteCount = ValueSizeLimit.maximumByteCount
    /// The work to which the passes over the added values are charged; nil for an operation that adds only a few.
    private let work: WorkMeter?

    init(_ work: WorkMeter? = nil) { self.work = work }

    /// Subtracts the size of a value that becomes a part of the constructed one from the limits.
    ///
    /// - Throws: `MongoError` if the constructed value, one level deeper than its part, is nested more than
    ///   `maximumDepth` levels deep, or if all values added so far exceed the limit on their number or bytes.
    mutating func add(_ value: BSON) throws {
        let before = count
        let isTaken = take(value, depth: Self.maximumDepth - 1)
        try work?.charge(before - count)
        guard !isTaken else { return }
        guard count >= 0, byteCount >= 0 else {
            throw MongoError.tooLarge(
                "A computed value takes more than \(Self.maximumByteCount) bytes, or has more than \(Self.maximumCount) values in it."
            )
        }
        throw MongoError(
            code: 15,
            "The documents and arrays in a computed value are nested more than \(Self.maximumDepth) levels deep.")
    }

    /// Subtracts the size of a value, including its nested values, from the limits; returns false if a limit, also that
    /// of the depth, is exceeded.
    private mutating func take(_ value: BSON, depth: Int) -> Bool {
        count -= 1
        switch value {
        case .document(let document):
            guard depth > 0 else { return false }
            for member in document {
                byteCount -= member.key.utf8.count
                guard take(member.value, depth: depth - 1) else { return false }
            }
        case .array(let items):
            guard depth > 0 else { return false }
            for item in items where !take(item, depth: depth - 1) { return false }
        case .string, .binary, .code, .symbol, .regex, .codeWithScope: byteCount -= value.bsonByteCount
        default: byteCount -= 8
        }
        return count >= 0 && byteCount >= 0
    }
}

extension BSON {
    /// Throws `MongoError` if a constructed value is nested too deep or is too large.
    func checkSize(_ work: WorkMeter? = nil) throws {
        var room = ValueSizeLimit(work)
        try room.add(self)
    }

    /// Returns the value itself; throws `MongoError` if it is nested too deep or is too large.
    func checked(_ work: WorkMeter? = nil) throws -> BSON {
        try checkSize(work)
        return self
    }
}

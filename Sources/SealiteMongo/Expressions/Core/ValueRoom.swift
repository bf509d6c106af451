internal import SealiteValues

/// The rest of the room that a value has which an expression makes.
///
/// Values share what they are made of: one that takes little memory may stand for more than any memory holds, and looking through it would take as long. So every
/// operator that puts values together has what it made looked through, up to these limits.
struct ValueRoom {
    /// The number of documents and arrays that may lie in each other in a value that an expression made.
    private static let maximumDepth = 500

    /// The number of values in each other and beside each other.
    private var count = 8_000_000
    /// The bytes of BSON, but for names and types.
    private var byteCount = 64 << 20

    /// Takes the room of a value away that is put into another one.
    ///
    /// - Throws: `MongoError` if a value is nested too deep, or where all of them are larger than documents may be.
    mutating func add(_ value: BSON) throws {
        guard !take(value, depth: Self.maximumDepth) else { return }
        guard count >= 0, byteCount >= 0 else {
            throw MongoError.tooLarge("An expression makes a value that is too large.")
        }
        throw MongoError(code: 15, "More than \(Self.maximumDepth) documents and arrays lie in each other.")
    }

    /// Takes a value with all in it away; false if it has no room.
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
    /// Throws where a value that was put together is nested too deep, or is larger than documents may be.
    func checkSize() throws {
        var room = ValueRoom()
        try room.add(self)
    }

    /// Returns the value where its size and depth are allowed.
    func checked() throws -> BSON {
        try checkSize()
        return self
    }
}

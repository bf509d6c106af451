internal import SealiteValues

/// What is left of the room that a value has which an expression makes.
///
/// Values share what they are made of: one that takes little memory may stand for more than any memory holds, and looking through it would take as long. So every
/// operator that puts values together has what it made looked through, up to these limits.
private struct ValueRoom {
    /// The number of values in each other and beside each other.
    var count = 8_000_000
    /// The bytes of BSON, but for names and types.
    var byteCount = 64 << 20

    /// Takes a value with all in it away; false where it has no room.
    mutating func take(_ value: BSON, depth: Int) -> Bool {
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
    /// The number of documents and arrays that may lie in each other in a value that an expression made.
    static let maximumDepth = 500

    /// Throws where a value that was put together is nested too deep, or is larger than documents may be.
    func checkSize() throws {
        var room = ValueRoom()
        guard !room.take(self, depth: Self.maximumDepth) else { return }
        guard room.count >= 0, room.byteCount >= 0 else {
            throw MongoError.tooLarge("An expression makes a value that is too large.")
        }
        throw MongoError(code: 15, "More than \(Self.maximumDepth) documents and arrays lie in each other.")
    }

    /// Returns the value where its size and depth are allowed.
    func checked() throws -> BSON {
        try checkSize()
        return self
    }
}

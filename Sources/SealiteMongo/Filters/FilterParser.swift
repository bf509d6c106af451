internal import SealiteValues

/// Reads filters: the conditions of documents, and those of values.
final class FilterParser {
    /// The place at which conditions stand, since some are for whole documents only.
    enum Level {
        case top
        case inside
    }

    /// The number of levels that a filter may have.
    static let maximumDepth = 200

    let context: FilterContext
    /// True once a condition was read that needs the `_id`.
    var needsID = false
    private var depth = 0

    init(_ context: FilterContext) { self.context = context }

    /// Reads something nested.
    func nested<Result>(_ body: () throws -> Result) throws -> Result {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.maximumDepth else {
            throw MongoError.badValue("A filter has more than \(Self.maximumDepth) levels.")
        }
        return try body()
    }

    // MARK: - Documents

    /// Reads the conditions of a document, all of which must hold.
    func document(_ document: MongoDocument, at level: Level) throws -> FilterTree {
        try nested {
            var trees: [FilterTree] = []
            for member in document.members {
                guard member.key.utf8.first == UInt8(ascii: "$") else {
                    trees.append(try field(member.key, member.value))
                    continue
                }
                guard let read = Self.documentOperators[member.key] else {
                    throw MongoError.badValue("unknown top level operator: \(member.key)")
                }
                if let tree = try read(self, member.value, level) { trees.append(tree) }
            }
            return .every(trees)
        }
    }

    /// Reads the condition of a member: operators, a regular expression, or a value to which it is equal.
    private func field(_ text: String, _ operand: BSON) throws -> FilterTree {
        let path = try FilterPath(text)
        if path.isID { needsID = true }
        switch operand {
        case .document(let operators) where operators.isOperators: return try self.operators(operators, of: path)
        case .regex(let regex): return .path(path, .pattern(try FilterPattern(regex)))
        default: return .path(path, .equal(try Self.comparable(operand)))
        }
    }

    // MARK: - Operators

    /// Reads operators on a value, all of which must hold.
    func operators(_ operators: MongoDocument, of path: FilterPath) throws -> FilterTree {
        try nested {
            var trees: [FilterTree] = []
            for member in operators.members {
                guard let read = Self.valueOperators[member.key] else {
                    throw MongoError.badValue("unknown operator: \(member.key)")
                }
                if let tree = try read(self, path, member.value, operators) { trees.append(tree) }
            }
            return .every(trees)
        }
    }

    /// Returns a value that other values may be compared with.
    static func comparable(_ operand: BSON) throws -> BSON {
        guard operand != .undefined else { throw MongoError.badValue("cannot compare to undefined") }
        return operand
    }
}

extension MongoDocument {
    /// True for an object of operators: its first name begins with `$`, and isn't one of a reference's.
    var isOperators: Bool {
        guard let name = members.first?.key, name.utf8.first == UInt8(ascii: "$") else { return false }
        return !["$ref", "$id", "$db"].contains(name)
    }
}

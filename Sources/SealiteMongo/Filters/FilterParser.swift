internal import SealiteValues

/// The parser of filters, which are conditions on documents and on values.
final class FilterParser {
    /// The level of conditions: those on a whole document (`top`), and those on an object in it (`inside`), for which
    /// operators such as `$expr` aren't allowed.
    enum Level {
        case top
        case inside
    }

    /// The maximum nesting depth of a filter.
    static let maximumDepth = 200

    let context: FilterContext
    /// A Boolean value that says whether the conditions are those of a projection, which can't have a `$jsonSchema`.
    let isOfProjection: Bool
    /// A Boolean value that says whether a condition that has been parsed depends on the `_id`.
    var needsID = false
    /// A Boolean value that says whether a condition that has been parsed is an `$expr`.
    private(set) var hasExpression = false
    /// A Boolean value that says whether a condition that has been parsed is a `$text`.
    private(set) var hasText = false
    /// The condition of `$near` that has been parsed; nil if there is none.
    var near: NearCondition?
    /// A Boolean value that says whether the conditions at the current position may have a `$near`.
    private(set) var allowsNear = true
    private var depth = 0

    init(_ context: FilterContext, isOfProjection: Bool = false) {
        (self.context, self.isOfProjection) = (context, isOfProjection)
    }

    /// Runs `body` one nesting level deeper, and returns its result; throws `MongoError` if there are too many levels.
    func nested<Result>(_ body: () throws -> Result) throws -> Result {
        depth += 1
        defer { depth -= 1 }
        try require(
            depth <= Self.maximumDepth, .badValue("A filter is nested more than \(Self.maximumDepth) levels deep."))
        return try body()
    }

    /// Runs `body`, which parses conditions among which `$near` isn't allowed, and returns its result.
    func withoutNear<Result>(_ body: () throws -> Result) rethrows -> Result {
        let before = allowsNear
        allowsNear = false
        defer { allowsNear = before }
        return try body()
    }

    // MARK: - Documents

    /// Parses a document of conditions, all of which must hold.
    func document(_ document: MongoDocument, at level: Level) throws -> FilterTree {
        try nested {
            var trees: [FilterTree] = []
            for member in document.members {
                guard member.key.utf8.first == UInt8(ascii: "$") else {
                    trees.append(try field(member.key, member.value))
                    continue
                }
                let read = try require(
                    Self.documentOperators[member.key],
                    .badValue("There is no operator \(member.key) at this place of a filter."))
                if let tree = try read(self, member.value, level) { trees.append(tree) }
            }
            return .every(trees)
        }
    }

    /// Parses the condition on the values at the path `text`: operators, a regular expression, or a value that must be
    /// equal.
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

    /// Parses the operators on the values at a path, all of which must hold.
    func operators(_ operators: MongoDocument, of path: FilterPath) throws -> FilterTree {
        try nested {
            var trees: [FilterTree] = []
            for member in operators.members {
                let read = try require(
                    Self.valueOperators[member.key] ?? Self.shapeOperators[member.key],
                    .badValue("There is no operator \(member.key) in filters."))
                if let tree = try read(self, path, member.value, operators) { trees.append(tree) }
            }
            return .every(trees)
        }
    }

    /// Returns the operand itself, with which values are to be compared.
    ///
    /// - Throws: a `MongoError` if the operand is `undefined`, with which nothing can be compared.
    static func comparable(_ operand: BSON) throws -> BSON {
        try require(operand != .undefined, .badValue("A filter can't compare with a value of the type undefined."))
        return operand
    }
}

extension MongoDocument {
    /// A Boolean value that says whether the document consists of operators: its first name begins with `$`, and isn't
    /// part of a database reference.
    var isOperators: Bool {
        guard let name = members.first?.key, name.utf8.first == UInt8(ascii: "$") else { return false }
        return !["$ref", "$id", "$db"].contains(name)
    }
}

// Operators on whole documents.
extension FilterParser {
    /// A function that parses the operand of an operator on whole documents and returns its condition; nil if there is
    /// nothing to test, as for `$comment`.
    typealias DocumentReader = @Sendable (FilterParser, BSON, Level) throws -> FilterTree?

    /// The functions that parse the operators on whole documents, such as `$and`, by the operators' names.
    static let documentOperators: [String: DocumentReader] = [
        "$and": { parser, operand, level in .every(try parser.alternatives("$and", operand, level)) },
        "$or": { parser, operand, level in
            let trees = try parser.alternatives("$or", operand, level)
            return trees.count == 1 ? trees[0] : equalities(trees) ?? .any(trees)
        },
        "$nor": { parser, operand, level in
            let hadText = parser.hasText
            let trees = try parser.alternatives("$nor", operand, level)
            try require(parser.hasText == hadText, .badValue("$text can't be negated by $nor."))
            return .not(.any(trees))
        },
        "$expr": { parser, operand, level in try parser.expression(operand, level) },
        "$jsonSchema": { parser, operand, _ in try parser.schema(operand) },
        "$comment": { _, _, _ in nil },
        "$alwaysTrue": { _, operand, _ in .constant(try constant("$alwaysTrue", operand, true)) },
        "$alwaysFalse": { _, operand, _ in .constant(try constant("$alwaysFalse", operand, false)) },
        "$sampleRate": { parser, operand, level in try parser.sampleRate(operand, level) },
        "$where": { _, _, _ in throw MongoError.badValue("A filter can't have $where: JavaScript isn't run.") },
        "$text": { parser, operand, level in try parser.text(operand, level) },
    ]

    private func alternatives(_ name: String, _ operand: BSON, _ level: Level) throws -> [FilterTree] {
        guard case .array(let items) = operand, !items.isEmpty else {
            throw MongoError.badValue("\(name) takes an array of at least one filter.")
        }
        func read() throws -> [FilterTree] {
            try items.map { item in
                let document = try require(item.members, .badValue("$and, $or and $nor take an array of objects."))
                return try self.document(document, at: level)
            }
        }
        return name == "$and" || name == "$or" && items.count == 1 ? try read() : try withoutNear(read)
    }

    /// Returns the condition that is the same as alternatives which are all equalities of one path, `$in` of their
    /// values; nil for other alternatives.
    private static func equalities(_ trees: [FilterTree]) -> FilterTree? {
        var path: FilterPath?
        var values: [BSON] = []
        for tree in trees {
            guard case .condition(let condition) = tree, case .equal(let value) = condition.test,
                path == nil || path?.bytes == condition.path.bytes
            else { return nil }
            path = condition.path
            values.append(value)
        }
        return path.map { .path($0, .among(ValueList(values, []))) }
    }

    private static func constant(_ name: String, _ operand: BSON, _ value: Bool) throws -> Bool {
        try require(operand.exactInt64 == 1, .failedToParse("\(name) takes the integer 1."))
        return value
    }

    private func expression(_ operand: BSON, _ level: Level) throws -> FilterTree {
        try require(level == .top, .badValue("$expr belongs to the filter of a document, not of an item of an array."))
        (needsID, hasExpression) = (true, true)
        return .document(try DocumentConditions.expression(operand, context))
    }

    private func sampleRate(_ operand: BSON, _ level: Level) throws -> FilterTree {
        try require(level == .top, .badValue("$sampleRate belongs to the filter of a document."))
        let rate = try requireNumber(operand, 2, "$sampleRate takes a number").double
        try require((0...1).contains(rate), .badValue("$sampleRate takes a number from 0 to 1."))
        needsID = true
        return .document { _ in Double.random(in: 0..<1) < rate }
    }

    private func text(_ operand: BSON, _ level: Level) throws -> FilterTree {
        try require(
            level == .top && !isOfProjection, .badValue("$text belongs to the filter of a document."))
        try require(!hasText, .badValue("A filter can have $text only once."))
        try require(near == nil, .badValue("A filter can't have both $text and $near or $nearSphere."))
        hasText = true
        return .text(try TextQuery(operand))
    }

    private func schema(_ operand: BSON) throws -> FilterTree {
        try require(!isOfProjection, 224, "A projection can't have a $jsonSchema.")
        needsID = true
        return .document(try DocumentConditions.schema(operand))
    }
}

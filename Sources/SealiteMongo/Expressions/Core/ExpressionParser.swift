internal import SealiteJSON
internal import SealiteValues

/// The parser of expressions, with the variables that are in scope.
struct ExpressionParser {
    /// The maximum nesting depth of expressions.
    static let maximumDepth = 200

    /// The target of a name after `$$`: a variable at an index of `Evaluation.slots`, or a constant value.
    private enum Variable {
        case slot(Int)
        case constant(BSON)
    }

    private let slots: SlotCounter
    private var variables: [ExactText: Variable] = [:]
    /// The index in `Evaluation.slots` of the value at which field paths begin; nil if they begin at the row.
    private var current: Int?
    private var depth = 0
    /// A Boolean value that says whether constant expressions are evaluated while they are parsed.
    private var foldsConstants = true
    /// The metadata that the rows have, for `$meta`.
    var metadata: Set<MetadataField> = []

    init(_ slots: SlotCounter) { self.slots = slots }

    // MARK: Variables

    /// Returns a parser with further variables in scope, and the indices of these variables in `Evaluation.slots`, in
    /// the order of the names.
    func binding(_ names: [String]) -> (ExpressionParser, [Int]) {
        var parser = self
        let added = names.map { name in
            let slot = slots.next()
            if name == "CURRENT" { parser.current = slot } else { parser.variables[ExactText(name)] = .slot(slot) }
            return slot
        }
        return (parser, added)
    }

    /// Returns a parser with a further variable in scope, which has a constant value.
    func binding(_ name: String, to value: BSON) -> ExpressionParser {
        var parser = self
        parser.variables[ExactText(name)] = .constant(value)
        return parser
    }

    /// The variables in scope that have an index in `Evaluation.slots`, without constants, in no particular order.
    var visibleVariables: [(name: String, slot: Int)] {
        variables.compactMap { name, variable in
            if case .slot(let slot) = variable { (name.text, slot) } else { nil }
        }
    }

    /// Throws `MongoError` if a text isn't a valid name of a user-defined variable.
    static func checkVariable(_ name: String) throws {
        guard name != "CURRENT" else { return }
        let first = try require(name.utf8.first, 16867, "A variable's name is empty.")
        let isLetter = { (byte: UInt8) in (0x61...0x7A).contains(byte) || byte >= 0x80 }
        let isPart = { (byte: UInt8) in
            isLetter(byte) || (0x41...0x5A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x5F
        }
        try require(
            isLetter(first) && name.utf8.allSatisfy(isPart), 9,
            "'\(name)' can't be a variable's name: it must begin with a lowercase or a non-ASCII letter, followed by letters, digits and underscores."
        )
    }

    /// The parser for an expression that no row evaluates, so that errors in its constants don't count.
    var unevaluated: ExpressionParser {
        var parser = self
        parser.foldsConstants = false
        return parser
    }

    // MARK: Values

    /// Returns the parsed form of an expression.
    func parse(_ value: BSON) throws -> ExpressionNode {
        switch value {
        case .string(let text) where text.hasPrefix("$"): return try parsePath(text)
        case .array(let items):
            let parser = try deeper()
            return try folded(.array(try items.map(parser.parse)))
        case .document(let document): return try deeper().parse(document)
        case .string(let text):
            try Text.checkValue(text)
            return .constant(value)
        default: return .constant(value)
        }
    }

    private func deeper() throws -> ExpressionParser {
        var parser = self
        parser.depth += 1
        try require(
            parser.depth <= Self.maximumDepth, 15, "Expressions are nested more than \(Self.maximumDepth) levels deep.")
        return parser
    }

    private func parsePath(_ text: String) throws -> ExpressionNode {
        guard text.hasPrefix("$$") else {
            try require(text != "$", 16872, "'$' alone isn't a field path.")
            return from(current, try FieldPath(String(text.dropFirst())).names)
        }
        try require(text != "$$", 9, "The name of a variable after '$$' is empty.")
        let path = text.utf8.dropFirst(2)
        try require(
            path.first != 0x24 && path.first != 0x2E, 9,
            "The name of a variable after '$$' begins with a dollar sign or a dot.")
        var names = try FieldPath(String(text.dropFirst(2))).names
        let name = names.removeFirst()
        switch (name, variables[ExactText(name)]) {
        case (_, .slot(let slot)): return .variable(slot, names)
        case (_, .constant(let value)): return .constant(value.value(at: names[...]))
        case ("ROOT", _): return .field(names)
        case ("CURRENT", _): return from(current, names)
        case ("REMOVE", _): return .constant(nil)
        case ("NOW", _): return names.isEmpty ? .now : .constant(nil)
        case ("CLUSTER_TIME", _):
            throw MongoError(code: 10_071_200, "There is no $$CLUSTER_TIME, since a database has no cluster.")
        default: throw MongoError(code: 17276, "There is no variable '\(name)' here.")
        }
    }

    private func from(_ current: Int?, _ names: [String]) -> ExpressionNode {
        current.map { .variable($0, names) } ?? .field(names)
    }

    private func parse(_ document: MongoDocument) throws -> ExpressionNode {
        if let first = document.members.first, first.key.hasPrefix("$") {
            try require(
                document.count == 1, 15983,
                "An object with the operator \(first.key) must have no other members, but has \(document.count) members."
            )
            return try parseOperator(first.key, first.value)
        }
        var names: Set<[UInt8]> = []
        let members = try document.map { member in
            try Self.checkMember(member.key)
            try require(
                names.insert(Array(member.key.utf8)).inserted, 16406,
                "The member '\(member.key)' occurs twice in an object.")
            return (name: member.key, value: try parse(member.value))
        }
        return try folded(.document(members))
    }

    /// Throws `MongoError` if a text isn't a valid name of a member that an expression creates.
    static func checkMember(_ name: String) throws {
        try FieldPath.check(name)
        try require(!name.utf8.contains(0x2E), 16412, "The name '\(name)' of a member has a dot in it.")
    }

    /// Returns the parsed form of the operator with a name, such as `$add`, and an operand.
    func parseOperator(_ name: String, _ operand: BSON) throws -> ExpressionNode {
        let known = try require(ExpressionOperator.all[name], 168, "There is no operator '\(name)' of expressions.")
        return try folded(known.make(operand, self))
    }

    private func folded(_ node: ExpressionNode) throws -> ExpressionNode { foldsConstants ? try node.folded() : node }
}

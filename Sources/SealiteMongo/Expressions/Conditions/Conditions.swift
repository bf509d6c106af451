internal import SealiteValues

extension ExpressionOperator {
    /// The conditional operators `$cond`, `$ifNull` and `$switch`, which evaluate only the branch that they choose.
    static let conditions: [ExpressionOperator] = [
        .init("$cond", parsing: condition),
        .init("$ifNull", parsing: firstNotNull),
        .init("$switch", parsing: choice),
    ]

    private static let condCodes = OperandCodes(
        shape: 17080, unknown: 17083, absent: 17080, absentByName: ["then": 17081, "else": 17082])
    private static let branchCodes = OperandCodes(
        shape: 40062, unknown: 40063, absent: 40064, absentByName: ["then": 40065])

    @Sendable private static func condition(_ operand: BSON, _ parser: ExpressionParser) throws -> ExpressionNode {
        let nodes =
            if case .document = operand {
                try NamedOperands(operand, of: "$cond", ["if", "then", "else"], code: condCodes).nodes(parser)
            } else {
                try parser.arguments(of: "$cond", operand, 3...3)
            }
        if let value = nodes[0].constant { return value.isTrue ? nodes[1] : nodes[2] }
        return .form { try (nodes[0].value($0).isTrue ? nodes[1] : nodes[2]).value($0) }
    }

    @Sendable private static func firstNotNull(_ operand: BSON, _ parser: ExpressionParser) throws -> ExpressionNode {
        try require(operand.items?.count ?? 1 >= 2, 1_257_300, "$ifNull takes at least 2 arguments.")
        let nodes = try parser.arguments(of: "$ifNull", operand, 2...)
        return .form { evaluation in
            for node in nodes.dropLast() {
                let value = try node.value(evaluation)
                if !value.isNullish { return value }
            }
            return try nodes[nodes.count - 1].value(evaluation)
        }
    }

    @Sendable private static func choice(_ operand: BSON, _ parser: ExpressionParser) throws -> ExpressionNode {
        let operands = try NamedOperands(
            operand, of: "$switch", ["branches", "default?"],
            code: OperandCodes(shape: 40060, unknown: 40067, absent: 40068))
        let items = try require(operands["branches"].items, 40061, "$switch needs an array as 'branches'.")
        try require(!items.isEmpty, 40068, "$switch needs at least one branch in 'branches'.")
        var branches: [(condition: ExpressionNode, value: ExpressionNode)] = []
        var certain: ExpressionNode?
        for item in items {
            let branch = try NamedOperands(item, of: "A branch of $switch", ["case", "then"], code: branchCodes)
            // Branches after a constant true case, and the value of a constant false one, are only checked.
            let condition = try branch.node("case", certain == nil ? parser : parser.unevaluated)
            let isReached = certain == nil && condition.constant.map(\.isTrue) ?? true
            let value = try branch.node("then", isReached ? parser : parser.unevaluated)
            guard isReached else { continue }
            if condition.constant == nil { branches.append((condition, value)) } else { certain = value }
        }
        let fallback = try operands["default"].map(parser.parse)
        try require(
            !branches.isEmpty || certain != nil || fallback != nil, 40069,
            "No branch of $switch can be reached, and it has no 'default'.")
        return chosen(among: branches, else: certain ?? fallback)
    }

    /// Returns the expression of a `$switch` over its branches that are left, in their order.
    private static func chosen(
        among branches: [(condition: ExpressionNode, value: ExpressionNode)], else fallback: ExpressionNode?
    ) -> ExpressionNode {
        if branches.isEmpty, let fallback { return fallback }
        return .form { evaluation in
            for branch in branches where try branch.condition.value(evaluation).isTrue {
                return try branch.value.value(evaluation)
            }
            guard let fallback else {
                throw MongoError(code: 40066, "$switch found no branch whose 'case' is true, and has no 'default'.")
            }
            return try fallback.value(evaluation)
        }
    }
}

extension ExpressionOperator {
    /// The Boolean operators `$and`, `$or` and `$not`. `$and` and `$or` stop at the first argument that determines the
    /// result.
    static let booleans: [ExpressionOperator] = [
        .init("$and") { try junction("$and", $0, $1, deciding: false) },
        .init("$or") { try junction("$or", $0, $1, deciding: true) },
        .init("$not") { .bool(!$0.isTrue) },
    ]

    private static func junction(
        _ name: String, _ operand: BSON, _ parser: ExpressionParser, deciding: Bool
    ) throws -> ExpressionNode {
        let nodes = try parser.arguments(of: name, operand, 0...)
        if let value = decided(nodes, deciding) { return .constant(.bool(value)) }
        return .form { evaluation in
            for node in nodes where try node.value(evaluation).isTrue == deciding { return .bool(deciding) }
            return .bool(!deciding)
        }
    }

    /// Returns the result of `$and` or `$or` if constants among the arguments determine it; otherwise nil. `deciding` is the value
    /// that determines the result if one argument has it: false for `$and`, true for `$or`.
    private static func decided(_ nodes: [ExpressionNode], _ deciding: Bool) -> Bool? {
        let values = nodes.compactMap(\.constant)
        if values.contains(where: { $0.isTrue == deciding }) { return deciding }
        return values.count == nodes.count ? !deciding : nil
    }
}

extension ExpressionOperator {
    /// The comparison operators, which use the total order of values of all types. A missing value precedes null.
    static let comparisons: [ExpressionOperator] = [
        .init("$cmp", 2...2) { .int32(Int32(try order($0).signum())) },
        .init("$eq", 2...2) { .bool(try order($0) == 0) },
        .init("$ne", 2...2) { .bool(try order($0) != 0) },
        .init("$gt", 2...2) { .bool(try order($0) > 0) },
        .init("$gte", 2...2) { .bool(try order($0) >= 0) },
        .init("$lt", 2...2) { .bool(try order($0) < 0) },
        .init("$lte", 2...2) { .bool(try order($0) <= 0) },
    ]

    private static func order(_ arguments: OperatorArguments) throws -> Int {
        // Scalars, the usual operands, were charged by the call.
        switch (arguments[0], arguments[1]) {
        case (.array, .array), (.document, .document): try arguments.work.compare(arguments[0], arguments[1])
        default: compare(arguments[0], arguments[1])
        }
    }
}

/// Returns a negative number, 0 or a positive number if the left value comes before, is equal to or comes after the
/// right one; a missing value comes before null.
func compare(_ left: BSON?, _ right: BSON?) -> Int {
    switch (left, right) {
    case (let left?, let right?): left.compared(to: right)
    case (nil, nil): 0
    // A missing value has the same order as undefined.
    case (nil, let right?): right == .undefined ? 0 : BSON.undefined.compared(to: right)
    case (let left?, nil): left == .undefined ? 0 : left.compared(to: .undefined)
    }
}

extension ExpressionOperator {
    /// The operators `$literal`, `$const`, `$let`, `$expr` and `$rand`.
    static let variables: [ExpressionOperator] = [
        .init("$literal") { operand, _ in .constant(operand) },
        .init("$const") { operand, _ in .constant(operand) },
        .init("$let", parsing: let_),
        .init("$expr") { operand, parser in try parser.parse(operand) },
        .init("$rand") { operand, parser in
            let count = try require(
                operand.items?.count ?? operand.members?.count, 10065, "$rand takes an empty object or array.")
            try require(count == 0, 3_040_501, "$rand takes no arguments.")
            return .form { _ in .double(Double.random(in: 0..<1)) }
        },
    ]

    @Sendable private static func let_(_ operand: BSON, _ parser: ExpressionParser) throws -> ExpressionNode {
        let operands = try NamedOperands(
            operand, of: "$let", ["vars", "in"],
            code: OperandCodes(shape: 16874, unknown: 16875, absent: 16876, absentByName: ["in": 16877]))
        let given = try require(
            operands["vars"].members, operands["vars"]?.type == .array ? 9 : 10065, "$let takes an object as 'vars'.")
        try given.keys.forEach(ExpressionParser.checkVariable)
        let values = try given.map { try parser.parse($0.value) }
        let (inner, slots) = parser.binding(given.keys)
        let result = try operands.node("in", inner)
        return .form { evaluation in
            let computed = try values.map { try $0.value(evaluation) }
            for (slot, value) in zip(slots, computed) { evaluation.slots[slot] = value }
            return try result.value(evaluation)
        }
    }
}

extension BSON {
    /// A Boolean value that says whether the value is a document without members.
    var isEmptyDocument: Bool { if case .document(let document) = self { document.isEmpty } else { false } }
}

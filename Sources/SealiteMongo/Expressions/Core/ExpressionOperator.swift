internal import SealiteValues

/// An operator of expressions: its name, and the parser of its operand.
struct ExpressionOperator: Sendable {
    /// A function that parses an operator's operand and returns the expression.
    typealias Make = @Sendable (_ operand: BSON, _ parser: ExpressionParser) throws -> ExpressionNode

    /// The operator's name, with the dollar sign.
    let name: String
    /// The function that parses the operator's operand.
    let make: Make

    /// Creates an operator with a function that parses its operand.
    init(_ name: String, parsing make: @escaping Make) { (self.name, self.make) = (name, make) }

    /// Creates an operator that passes the values of its arguments to a function. The operand is an array of arguments,
    /// whose number must be in `arity`, or a single argument. `countCode` is the `MongoError` code of another number of
    /// arguments; nil for the usual one.
    init(
        _ name: String, _ arity: some RangeExpression<Int> & Sendable, countCode: Int? = nil,
        _ function: @escaping ExpressionNode.Function
    ) {
        self.init(name) { operand, parser in
            .call(function, try parser.arguments(of: name, operand, arity, code: countCode))
        }
    }

    /// Creates an operator that passes the value of its only argument to a function.
    init(_ name: String, _ function: @escaping @Sendable (BSON?) throws -> BSON?) {
        self.init(name, 1...1) { try function($0[0]) }
    }

    /// Creates an operator whose operand is an object of named arguments, as in `NamedOperands`, and which passes their
    /// values to a function in the order of `names`. An absent argument has its value in `defaults`, or nil. `code` has
    /// the `MongoError` codes of an invalid operand.
    init(
        _ name: String, named names: [String], defaults: [String: BSON] = [:], code: OperandCodes,
        _ function: @escaping ExpressionNode.Function
    ) {
        self.init(name) { operand, parser in
            let operands = try NamedOperands(operand, of: name, names, code: code)
            return .call(function, try operands.nodes(parser, defaults))
        }
    }

    /// All operators by their names.
    static let all: [String: ExpressionOperator] = {
        let groups: [[ExpressionOperator]] = [
            arithmetic, rounding, powers, trigonometry, bits, comparisons, booleans, conditions, arrays, arrayLoops,
            arrayParts, arrayConversions, ranking, sets, strings, substrings, searches, trims, regularExpressions,
            dateParts, dateTexts, dateCalculations, types, conversions, objects, variables, accumulators, sizes,
            percentiles, metadata, hashes,
        ]
        return Dictionary(groups.joined().map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }()
}

extension ExpressionParser {
    /// Returns the parsed arguments of the operator `name`: the items of an array, or one value that isn't an array.
    /// Throws `MongoError`, with `code` if it isn't nil, if their number isn't in `arity`.
    func arguments(
        of name: String, _ operand: BSON, _ arity: some RangeExpression<Int>, code: Int? = nil
    ) throws -> [ExpressionNode] {
        let operands = if case .array(let items) = operand { items } else { [operand] }
        try require(
            arity.contains(operands.count), code ?? ((arity as? ClosedRange<Int>)?.count == 1 ? 16020 : 28667),
            "\(name) takes \(Self.phrase(arity)) arguments, not \(operands.count).")
        return try operands.map(parse)
    }

    /// Returns the numbers of arguments that are allowed, for error messages.
    private static func phrase(_ arity: some RangeExpression<Int>) -> String {
        switch arity {
        case let range as ClosedRange<Int> where range.count == 1: "exactly \(range.lowerBound)"
        case let range as ClosedRange<Int>: "\(range.lowerBound) to \(range.upperBound)"
        case let range as PartialRangeFrom<Int>: "at least \(range.lowerBound)"
        default: "another number of"
        }
    }
}

/// The values of an operator's arguments, nil for missing ones, and the work to which the operator charges what it does
/// with them.
struct OperatorArguments: RandomAccessCollection {
    private let values: [BSON?]
    let work: WorkMeter

    init(_ values: [BSON?], _ work: WorkMeter) { (self.values, self.work) = (values, work) }

    var startIndex: Int { 0 }
    var endIndex: Int { values.count }

    subscript(index: Int) -> BSON? { values[index] }

    /// Charges one pass over the values, not counting those nested in them. Operators that do more charge it
    /// themselves.
    @inline(__always)
    func chargePass() throws {
        var units = 1
        for value in values {
            switch value {
            case .string(let text): units += text.utf8.count >> 6
            case .array(let items): units += items.count
            case .document(let document): units += document.count
            default: break
            }
        }
        try work.charge(units)
    }
}

/// The `MongoError` codes of an invalid object of named arguments.
struct OperandCodes: ExpressibleByIntegerLiteral {
    /// The code of an operand that isn't an object.
    let shape: Int
    /// The code of an argument that the operator doesn't have.
    let unknown: Int
    /// The code of an argument that is missing.
    let absent: Int
    /// The codes of missing arguments that have one of their own.
    var absentByName: [String: Int] = [:]

    /// Creates one code for everything that is invalid.
    init(integerLiteral code: Int) { (shape, unknown, absent) = (code, code, code) }

    init(shape: Int, unknown: Int, absent: Int, absentByName: [String: Int] = [:]) {
        (self.shape, self.unknown, self.absent, self.absentByName) = (shape, unknown, absent, absentByName)
    }
}

/// The named arguments of an operator, whose operand is an object.
struct NamedOperands {
    private let members: MongoDocument
    private let names: [String]

    /// Creates the arguments of the operator `name`. Those whose names end with a question mark in `names` are
    /// optional. Throws `MongoError` with one of the codes if the operand isn't an object, has an argument that isn't in `names`,
    /// or lacks one that isn't optional.
    init(_ operand: BSON, of name: String, _ names: [String], code: OperandCodes = 9) throws {
        let members = try requireDocument(operand, code.shape, "\(name) takes an object")
        let plain = names.map { $0.hasSuffix("?") ? String($0.dropLast()) : $0 }
        if let unknown = members.keys.first(where: { !plain.contains($0) }) {
            throw MongoError(code: code.unknown, "\(name) doesn't know the argument '\(unknown)'.")
        }
        if let absent = names.first(where: { !$0.hasSuffix("?") && members[$0] == nil }) {
            throw MongoError(
                code: code.absentByName[absent] ?? code.absent, "\(name) needs the argument '\(absent)'.")
        }
        (self.members, self.names) = (members, plain)
    }

    subscript(name: String) -> BSON? { members[name] }

    /// Returns the parsed expression of an argument; for an absent one a constant, which is nil by default.
    func node(_ name: String, _ parser: ExpressionParser, absent: BSON? = nil) throws -> ExpressionNode {
        try members[name].map(parser.parse) ?? .constant(absent)
    }

    /// Returns the parsed expressions of all arguments in the order of their names; for absent ones constants, which
    /// are nil unless in `defaults`.
    func nodes(_ parser: ExpressionParser, _ defaults: [String: BSON] = [:]) throws -> [ExpressionNode] {
        try names.map { try node($0, parser, absent: defaults[$0]) }
    }
}

internal import SealiteValues

/// A computation over the values of a group's rows, such as a sum.
protocol Accumulator: AnyObject {
    /// Adds the value of a row, nil if it is missing.
    ///
    /// - Returns: an estimate of the additional bytes of memory.
    func add(_ value: BSON?) throws -> Int

    /// Returns the result of the values so far.
    func result() throws -> BSON
}

/// A parsed accumulator, such as `{"$sum": "$a"}`.
struct AccumulatorSpecification: Sendable {
    /// The expression that is evaluated for each row.
    let input: ExpressionNode
    /// Creates an accumulator without values.
    let make: @Sendable (Evaluation) throws -> any Accumulator
    /// A Boolean value that says whether new accumulators are the same for every first row of a group.
    var isIndependent = false

    /// Creates the accumulator of a specification. In a group, the operand of a unary accumulator can't be an array;
    /// elsewhere an array of one expression is allowed.
    init(_ specification: BSON, of field: String, takesArrays: Bool = false, _ parser: ExpressionParser) throws {
        guard case .document(let document) = specification else {
            throw MongoError(code: 40234, "The member '\(field)' is an object with an accumulator.")
        }
        guard document.count == 1, let member = document.members.first else {
            throw MongoError(code: 40238, "The member '\(field)' has one accumulator, not \(document.count) members.")
        }
        guard let kind = AccumulatorKind.all[member.key] else {
            throw MongoError(code: 15952, "unknown group operator '\(member.key)'")
        }
        if !takesArrays, kind.isUnary, case .array(let items) = member.value {
            throw MongoError(
                code: 40237, "The accumulator \(kind.name) takes one argument, not an array of \(items.count).")
        }
        self = try kind.make(member.value, parser)
    }

    init(_ input: ExpressionNode, _ make: @escaping @Sendable (Evaluation) throws -> any Accumulator) {
        (self.input, self.make) = (input, make)
    }
}

/// The name of an accumulator, and the parser of its operand.
struct AccumulatorKind: Sendable {
    /// Parses an operand.
    typealias Make = @Sendable (_ operand: BSON, _ parser: ExpressionParser) throws -> AccumulatorSpecification

    let name: String
    /// A Boolean value that says whether the accumulator takes a single operand, so that an array is refused in a
    /// group.
    let isUnary: Bool
    let make: Make

    init(_ name: String, isUnary: Bool = false, reading make: @escaping Make) {
        (self.name, self.isUnary, self.make) = (name, isUnary, make)
    }

    /// Creates an accumulator of one expression.
    init(_ name: String, isUnary: Bool = false, _ make: @escaping @Sendable () -> any Accumulator) {
        self.init(name, isUnary: isUnary) { operand, parser in
            var specification = AccumulatorSpecification(try parser.parse(operand)) { _ in make() }
            specification.isIndependent = true
            return specification
        }
    }

    /// All accumulators by their names.
    static let all: [String: AccumulatorKind] = {
        let groups = [numbers, orders, collections, several, sorted, percentiles]
        return Dictionary(groups.joined().map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }()
}

/// The members that a specification computes for each group.
struct AccumulatedMembers: Sendable {
    let members: [(name: String, accumulator: AccumulatorSpecification)]

    init(_ document: some Sequence<MongoDocument.Member>, _ parser: ExpressionParser) throws {
        members = try document.map { member in
            guard !member.key.utf8.contains(0x2E) else {
                throw MongoError(code: 40235, "The member '\(member.key)' of a group has a point in its name.")
            }
            guard !member.key.hasPrefix("$") else {
                throw MongoError(code: 40236, "The member '\(member.key)' of a group begins with '$'.")
            }
            return (member.key, try AccumulatorSpecification(member.value, of: member.key, parser))
        }
    }

    /// Returns new accumulators.
    func make(_ evaluation: Evaluation) throws -> [any Accumulator] {
        try members.map { try $0.accumulator.make(evaluation) }
    }

    /// Adds the row of the evaluation to accumulators.
    ///
    /// - Returns: an estimate of the additional bytes of memory.
    func add(_ evaluation: Evaluation, to accumulators: [any Accumulator]) throws -> Int {
        var growth = 0
        for (index, member) in members.enumerated() {
            growth += try accumulators[index].add(try member.accumulator.input.value(evaluation))
        }
        return growth
    }

    /// Appends the results of accumulators to a document.
    func append(_ accumulators: [any Accumulator], to document: inout MongoDocument) throws {
        for (index, member) in members.enumerated() {
            let value = try accumulators[index].result()
            try value.checkSize()
            document.append(member.name, value)
        }
    }
}

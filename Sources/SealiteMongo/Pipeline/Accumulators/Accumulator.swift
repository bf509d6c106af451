internal import SealiteValues

/// A value made of the values of a group's rows.
protocol Accumulator: AnyObject {
    /// Adds the value of a row, nil if it is missing.
    ///
    /// - Returns: an estimate of the bytes that are held more than before.
    func add(_ value: BSON?) throws -> Int

    /// Returns what has been made so far.
    func result() throws -> BSON
}

/// An accumulator of a specification, such as `{"$sum": "$a"}`.
struct AccumulatorSpecification: Sendable {
    /// The expression of the value that each row gives.
    let input: ExpressionNode
    /// Returns a new accumulator, without values.
    let make: @Sendable (Evaluation) throws -> any Accumulator
    /// True if a new accumulator is the same whatever the group's first row is.
    var isIndependent = false

    /// The accumulator of a specification. In a group the operand of one that is unary is no array, which elsewhere is an expression of one.
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

/// The name of an accumulator, and how its operand is read.
struct AccumulatorKind: Sendable {
    /// Reads an operand.
    typealias Make = @Sendable (_ operand: BSON, _ parser: ExpressionParser) throws -> AccumulatorSpecification

    let name: String
    /// A Boolean value that says whether an array is no operand in a group, since the accumulator makes nothing of one.
    let isUnary: Bool
    let make: Make

    init(_ name: String, isUnary: Bool = false, reading make: @escaping Make) {
        (self.name, self.isUnary, self.make) = (name, isUnary, make)
    }

    /// An accumulator of one expression.
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
    /// - Returns: an estimate of the bytes that are held more than before.
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

internal import SealiteValues

/// A computation over the values of a group's rows, such as a sum.
protocol Accumulator: AnyObject {
    /// Adds the value of a row, nil if it is missing.
    ///
    /// - Returns: an estimate of the bytes of memory by which the accumulator has grown; negative if it has shrunk.
    func add(_ value: BSON?) throws -> Int

    /// Returns the result of the values so far.
    func result() throws -> BSON
}

/// The name of an accumulator, and the parser of its operand.
struct AccumulatorKind: Sendable {
    /// A function that parses the operand of an accumulator.
    typealias Make = @Sendable (_ operand: BSON, _ parser: ExpressionParser) throws -> AccumulatorSpecification

    let name: String
    let make: Make

    init(_ name: String, reading make: @escaping Make) { (self.name, self.make) = (name, make) }

    /// Creates a kind of accumulator whose operand is one expression. `make` returns a new, empty accumulator.
    init(_ name: String, _ make: @escaping @Sendable () -> any Accumulator) {
        self.init(name) { operand, parser in
            var specification = AccumulatorSpecification(try parser.parse(operand)) { _ in make() }
            specification.isIndependent = true
            return specification
        }
    }

    /// All kinds of accumulators by their names, such as `$sum`.
    static let all: [String: AccumulatorKind] = {
        let groups = [numbers, orders, collections, several, sorted, percentiles]
        return Dictionary(groups.joined().map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }()
}

/// A parsed accumulator, such as `{"$sum": "$a"}`.
struct AccumulatorSpecification: Sendable {
    /// The expression whose value for each row is added to the accumulator.
    let input: ExpressionNode
    /// A function that returns a new, empty accumulator.
    let make: @Sendable (Evaluation) throws -> any Accumulator
    /// A Boolean value that says whether new accumulators don't depend on the first row of their group.
    var isIndependent = false

    /// Creates the accumulator that a specification describes; `field` is the member to compute, for error messages.
    /// The operand may be an array only if `takesArrays`.
    init(_ specification: BSON, of field: String, takesArrays: Bool = false, _ parser: ExpressionParser) throws {
        let document = try require(
            specification.members, 40234, "The member '\(field)' must be an object with an accumulator.")
        try require(
            document.count <= 1, 40238, "The member '\(field)' needs one accumulator, not \(document.count) members.")
        guard let member = document.members.first, member.key.hasPrefix("$") else {
            throw MongoError(code: 40234, "The member '\(field)' must be an object with an accumulator.")
        }
        if !takesArrays, case .array(let items) = member.value {
            throw MongoError(
                code: 40237, "The accumulator \(member.key) takes one argument, not an array of \(items.count).")
        }
        let kind = try require(AccumulatorKind.all[member.key], 15952, "There is no accumulator '\(member.key)'.")
        self = try Self.named { try kind.make(member.value, parser) }
    }

    /// Returns the value of the input for the evaluation's row.
    @inline(__always)
    func value(_ evaluation: Evaluation) throws -> BSON? { try Self.named { try input.value(evaluation) } }

    /// Runs `body`, and gives its divisions by zero the codes that they have in accumulators.
    @inline(__always)
    private static func named<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let error as MongoError {
            switch error {
            case .divisionByZero: throw MongoError(code: 4_848_401, error.message)
            case .remainderByZero: throw MongoError(code: 4_848_403, error.message)
            default: throw error
            }
        }
    }

    init(_ input: ExpressionNode, _ make: @escaping @Sendable (Evaluation) throws -> any Accumulator) {
        (self.input, self.make) = (input, make)
    }
}

/// The members that a stage such as `$group` computes by accumulators for each group of rows.
struct AccumulatedMembers: Sendable {
    let members: [(name: String, accumulator: AccumulatorSpecification)]

    init(_ document: some Sequence<MongoDocument.Member>, _ parser: ExpressionParser) throws {
        members = try document.map { member in
            try require(
                !member.key.utf8.contains(0x2E), 40235, "The member '\(member.key)' of a group has a dot in its name.")
            try require(
                !member.key.hasPrefix("$"), 40236, "The name of the member '\(member.key)' of a group begins with '$'.")
            return (member.key, try AccumulatorSpecification(member.value, of: member.key, parser))
        }
    }

    /// Returns a new, empty accumulator for each member, in the order of the members.
    func make(_ evaluation: Evaluation) throws -> [any Accumulator] {
        try members.map { try $0.accumulator.make(evaluation) }
    }

    /// Adds the values of the evaluation's row to accumulators that `make(_:)` returned.
    ///
    /// - Returns: an estimate of the bytes of memory by which the accumulators have grown.
    func add(_ evaluation: Evaluation, to accumulators: [any Accumulator]) throws -> Int {
        var growth = 0
        for (index, member) in members.enumerated() {
            growth += try accumulators[index].add(try member.accumulator.value(evaluation))
        }
        return growth
    }

    /// Appends the members, with the results of accumulators that `make(_:)` returned, to a document.
    func append(_ accumulators: [any Accumulator], to document: inout MongoDocument) throws {
        for (index, member) in members.enumerated() {
            let value = try accumulators[index].result()
            try value.checkSize()
            document.append(member.name, value)
        }
    }
}

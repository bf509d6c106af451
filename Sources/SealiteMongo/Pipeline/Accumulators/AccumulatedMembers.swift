internal import SealiteValues

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

internal import SealiteValues

/// The members that a stage such as `$group` computes by accumulators for each group of rows.
struct AccumulatedMembers: Sendable {
    let members: [(name: String, accumulator: AccumulatorSpecification)]

    init(_ document: some Sequence<MongoDocument.Member>, _ parser: ExpressionParser) throws {
        members = try document.map { member in
            guard !member.key.utf8.contains(0x2E) else {
                throw MongoError(code: 40235, "The member '\(member.key)' of a group has a dot in its name.")
            }
            guard !member.key.hasPrefix("$") else {
                throw MongoError(code: 40236, "The name of the member '\(member.key)' of a group begins with '$'.")
            }
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
            growth += try accumulators[index].add(try member.accumulator.input.value(evaluation))
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

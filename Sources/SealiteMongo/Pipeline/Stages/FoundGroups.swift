internal import SealiteValues

/// The groups that a `$group` stage has found so far, by their keys.
struct FoundGroups {
    /// A group: its key, and the accumulators of the stage's members in their order.
    struct Group {
        let id: BSON
        let accumulators: [any Accumulator]
    }

    /// The groups in the order in which they were found.
    private(set) var groups: [Group] = []
    /// The context of the stage's expressions.
    let evaluation: Evaluation
    private var places: [BSONKey: Int] = [:]
    private let members: AccumulatedMembers
    private let memory: MemoryBudget

    init(_ members: AccumulatedMembers, _ run: PipelineRun) {
        (self.members, memory, evaluation) = (members, run.memory, run.evaluation())
    }

    /// Returns the index of the group with a key; a new group is appended if there is none.
    mutating func place(of id: BSON) throws -> Int {
        let key = BSONKey(id)
        if let known = places[key] { return known }
        try memory.take(2 * id.memoryByteCount + 64 * members.members.count, for: "$group")
        groups.append(Group(id: id, accumulators: try members.make(evaluation)))
        places[key] = groups.count - 1
        return groups.count - 1
    }

    /// Adds a value `count` times to the accumulator with the index `accumulator` of the group with the index `place`.
    func add(_ value: BSON?, times count: Int, to accumulator: Int, of place: Int) throws {
        let accumulator = groups[place].accumulators[accumulator]
        if count > 1, let sum = accumulator as? SumAccumulator { return sum.add(value, times: count) }
        for _ in 0..<count { try memory.take(try accumulator.add(value), for: "$group") }
    }
}

internal import SealiteValues

/// The groups of a `$group`, by their keys.
struct FoundGroups {
    /// A group.
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

    /// Returns the index of the group of a key, which is appended if it is new.
    mutating func place(of id: BSON) throws -> Int {
        let key = BSONKey(id)
        if let known = places[key] { return known }
        try memory.take(2 * id.memoryByteCount + 64 * members.members.count, for: "$group")
        groups.append(Group(id: id, accumulators: try members.make(evaluation)))
        places[key] = groups.count - 1
        return groups.count - 1
    }

    /// Adds a value a number of times to an accumulator of a group.
    func add(_ value: BSON?, times count: Int, to accumulator: Int, of place: Int) throws {
        let accumulator = groups[place].accumulators[accumulator]
        if count > 1, let sum = accumulator as? SumAccumulator { return sum.add(value, times: count) }
        for _ in 0..<count { try memory.take(try accumulator.add(value), for: "$group") }
    }
}

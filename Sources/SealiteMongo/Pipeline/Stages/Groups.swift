internal import SealiteValues

extension StageKind {
    /// Stages that combine rows.
    static let groups: [StageKind] = [
        .init("$group") { specification, parser in
            guard case .document(let document) = specification else {
                throw MongoError(code: 15947, "$group takes an object, not \(specification.type.alias).")
            }
            guard let id = document["_id"] else { throw MongoError(code: 15955, "$group needs an '_id'.") }
            return GroupStage(
                key: try parser.expressions.parse(id),
                members: try AccumulatedMembers(document.filter { $0.key != "_id" }, parser.expressions))
        },
        .init("$sortByCount") { specification, parser in
            switch specification {
            case .string(let path) where path.hasPrefix("$"): break
            case .document(let document) where document.members.first?.key.hasPrefix("$") == true: break
            default: throw MongoError(code: 40147, "$sortByCount takes a path with '$' or an expression.")
            }
            let counter = try AccumulatedMembers([.init("count", ["$sum": 1])], parser.expressions)
            let group = GroupStage(key: try parser.expressions.parse(specification), members: counter)
            let sort = SortStage(order: try SortOrder(["count": -1]), limit: nil)
            return FunctionStage { input, run in try sort.open(group.open(input, run), run) }
        },
    ]
}

/// `$group`.
struct GroupStage: Stage {
    let key: ExpressionNode
    let members: AccumulatedMembers

    func open(_ input: RowCursor, _ run: PipelineRun) throws -> RowCursor {
        .deferred {
            let groups = try groups(input, run)
            var place = 0
            return RowCursor {
                guard place < groups.count else { return nil }
                var document: MongoDocument = ["_id": groups[place].id]
                try members.append(groups[place].accumulators, to: &document)
                place += 1
                return Row(document)
            }
        }
    }

    /// Returns the groups in the order of their first rows.
    private func groups(_ input: RowCursor, _ run: PipelineRun) throws -> [FoundGroups.Group] {
        if let visitBodies = input.visitBodies, var groups = BodyGroups(self, run) {
            try visitBodies { try groups.add($0) }
            return try groups.finished()
        }
        var (input, groups) = (input, FoundGroups(members, run))
        while let row = try input.next() {
            groups.evaluation.row = row
            let place = try groups.place(of: try key.value(groups.evaluation) ?? .null)
            for (index, member) in members.members.enumerated() {
                try groups.add(try member.accumulator.input.value(groups.evaluation), times: 1, to: index, of: place)
            }
        }
        return groups.groups
    }
}

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

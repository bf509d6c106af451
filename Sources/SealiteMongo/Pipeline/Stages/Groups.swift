internal import SealiteValues

extension StageKind {
    /// Stages that make one row of many.
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

    private struct Group {
        let id: BSON
        let accumulators: [any Accumulator]
    }

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

    /// The groups in the order of their first rows.
    private func groups(_ input: RowCursor, _ run: PipelineRun) throws -> [Group] {
        let evaluation = run.evaluation()
        var (input, groups, places) = (input, [Group](), [BSONKey: Int]())
        while let row = try input.next() {
            evaluation.row = row
            let id = try key.value(evaluation) ?? .null
            let place: Int
            if let known = places[BSONKey(id)] {
                place = known
            } else {
                place = groups.count
                try run.memory.take(2 * id.memoryByteCount + 64 * members.members.count, for: "$group")
                places[BSONKey(id)] = place
                groups.append(Group(id: id, accumulators: try members.make(evaluation)))
            }
            try run.memory.take(try members.add(evaluation, to: groups[place].accumulators), for: "$group")
        }
        return groups
    }
}

internal import SealiteValues

extension StageKind {
    /// The stages `$group` and `$sortByCount`, which combine rows.
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

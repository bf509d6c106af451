internal import SealiteValues

extension StageKind {
    /// The stages `$unionWith` and `$documents`, which supply other rows than the input.
    static let unions: [StageKind] = [
        .init("$unionWith") { specification, parser in
            var (collection, stages) = (String?.none, [any Stage]())
            if case .string(let name) = specification {
                collection = name
            } else {
                let members = try StageMembers(specification, of: "$unionWith", ["coll", "pipeline"])
                collection = try members.string("coll")
                if let pipeline = members["pipeline"] { stages = try parser.nested(pipeline, of: "$unionWith") }
            }
            guard collection != nil || stages.first is DocumentsStage else {
                throw MongoError(code: 9, "$unionWith needs a collection, or a pipeline that begins with $documents.")
            }
            return FunctionStage { [collection, stages] input, run in
                var (input, other) = (input, RowCursor?.none)
                return RowCursor {
                    if other == nil {
                        if let row = try input.next() { return row }
                        let rows = try collection.map { try run.openStore(for: "$unionWith").rows(of: $0) }
                        other = try stages.open(rows ?? RowCursor([]), run)
                    }
                    return try other?.next()
                }
            }
        },
        .init("$documents") { specification, parser in
            DocumentsStage(node: try parser.expressions.parse(specification))
        },
    ]
}

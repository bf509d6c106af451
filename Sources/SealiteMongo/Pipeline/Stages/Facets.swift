internal import SealiteValues

extension StageKind {
    /// The stage `$facet`, which runs several pipelines over the same rows.
    static let facets: [StageKind] = [
        .init("$facet") { specification, parser in
            try parser.refuse("$facet", within: ["$facet"])
            guard case .document(let document) = specification, !document.isEmpty else {
                throw MongoError(code: 40169, "$facet takes an object with at least one pipeline.")
            }
            let pipelines = try document.map { member in
                try ExpressionParser.checkMember(member.key)
                guard case .array = member.value else {
                    throw MongoError(code: 40170, "$facet takes an array of stages as '\(member.key)'.")
                }
                return (name: member.key, stages: try parser.nested(member.value, of: "$facet"))
            }
            return FunctionStage { input, run in
                .deferred {
                    var (input, rows) = (input, [Row]())
                    while let row = try input.next() {
                        try run.memory.take(row.memoryByteCount, for: "$facet")
                        rows.append(row.shared)
                    }
                    var document = MongoDocument()
                    for (name, stages) in pipelines {
                        var output = try stages.open(run.cursor(rows), run)
                        document.append(name, .array(try output.documents(run, "$facet")))
                    }
                    try document.checkStorable("$facet")
                    return RowCursor([Row(document)])
                }
            }
        }
    ]
}

extension RowCursor {
    /// Returns all rows that remain as documents, and adds their memory to the run's budget for the stage with the name
    /// `stage`.
    mutating func documents(_ run: PipelineRun, _ stage: String) throws -> [BSON] {
        var documents: [BSON] = []
        while let row = try next() {
            let document = BSON.document(row.document)
            try run.memory.take(document.memoryByteCount, for: stage)
            documents.append(document)
        }
        return documents
    }
}

extension StageKind {
    /// The stages `$unionWith` and `$documents`, which supply other rows than the input.
    static let unions: [StageKind] = [
        .init("$unionWith") { specification, parser in
            var (collection, stages) = (String?.none, [any Stage]())
            if case .string(let name) = specification {
                collection = name
            } else {
                let members = try StageMembers(specification, of: "$unionWith", ["coll?", "pipeline?"])
                collection = try members.string("coll")
                if let pipeline = members["pipeline"] { stages = try parser.nested(pipeline, of: "$unionWith") }
            }
            try require(
                collection != nil || stages.first is DocumentsStage, 9,
                "$unionWith needs a collection, or a pipeline that begins with $documents.")
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
            try parser.refuse("$documents", within: ["$facet"])
            return DocumentsStage(node: try parser.expressions.parse(specification))
        },
    ]
}

/// The stage `$documents`, whose rows are the value of an expression instead of the documents of a collection.
struct DocumentsStage: Stage {
    let node: ExpressionNode

    func open(_ input: RowCursor, _ run: PipelineRun) throws -> RowCursor {
        let value = try node.value(run.evaluation())
        let items = try requireArray(value, 5858203, "$documents takes an array of documents")
        return RowCursor(
            try items.map { item in
                let document = try require(
                    item.members, 40228,
                    "$documents takes an array of documents; an item is of the type \(item.type.alias).")
                return Row(document)
            })
    }
}

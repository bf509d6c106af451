internal import SealiteValues

extension StageKind {
    /// The stage `$facet`, which runs several pipelines over the same rows.
    static let facets: [StageKind] = [
        .init("$facet") { specification, parser in
            guard !parser.isFacet else {
                throw MongoError(code: 40600, "$facet isn't allowed in a pipeline of another $facet.")
            }
            guard case .document(let document) = specification, !document.isEmpty else {
                throw MongoError(code: 40169, "$facet takes an object with at least one pipeline.")
            }
            let pipelines = try document.map { member in
                try ExpressionParser.checkMember(member.key)
                guard case .array = member.value else {
                    throw MongoError(code: 40170, "$facet takes an array of stages as '\(member.key)'.")
                }
                return (name: member.key, stages: try parser.nested(member.value, of: "$facet", isFacet: true))
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

internal import SealiteValues

/// The stage `$graphLookup`, which adds to each row an array of the rows of a collection that are reachable from a
/// value, directly or through other rows.
struct GraphLookupStage: Stage {
    private let collection: String
    private let start: ExpressionNode
    private let fromPath: FilterPath
    private let toPath: FilterPath
    private let name: [String]
    private let maximumDepth: Int
    private let depthName: [String]?
    private let filter: [any Stage]

    init(_ specification: BSON, _ parser: PipelineParser) throws {
        let members = try StageMembers(
            specification, of: "$graphLookup",
            [
                "from", "startWith", "connectFromField", "connectToField", "as", "maxDepth", "depthField",
                "restrictSearchWithMatch",
            ], required: ["from", "startWith", "connectFromField", "connectToField", "as"])
        collection = try members.string("from") ?? ""
        start = try parser.expressions.parse(members["startWith"] ?? .null)
        fromPath = try FilterPath(try FieldPath(try members.string("connectFromField") ?? "").text)
        toPath = try FilterPath(try FieldPath(try members.string("connectToField") ?? "").text)
        name = try FieldPath(try members.string("as") ?? "").names
        depthName = try members.string("depthField").map { try FieldPath($0).names }
        if let limit = members["maxDepth"] {
            guard let depth = Number(limit)?.exactInteger, depth >= 0 else {
                throw MongoError(code: 40101, "$graphLookup takes an integer of at least 0 as 'maxDepth'.")
            }
            maximumDepth = Int(depth)
        } else {
            maximumDepth = .max
        }
        filter =
            try members["restrictSearchWithMatch"].map { try parser.nested([["$match": $0]], of: "$graphLookup") } ?? []
    }

    func open(_ input: RowCursor, _ run: PipelineRun) throws -> RowCursor {
        let evaluation = run.evaluation()
        var known: ForeignRows?
        return input.map { row in
            let foreign = try known ?? ForeignRows(collection, by: toPath, run, for: "$graphLookup")
            known = foreign
            evaluation.row = row
            let value = try start.value(evaluation)
            let values = if case .array(let items) = value { items } else { [value ?? .null] }
            let found = try run.memory.releasing { try FoundDocuments(reached(from: values, foreign, run)) }
            return try found.added(to: row, at: name)
        }
    }

    private func reached(from values: [BSON], _ foreign: ForeignRows, _ run: PipelineRun) throws -> [BSON] {
        var (documents, seen, asked) = ([BSON](), Set<BSONKey>(), Set<BSONKey>())
        var (next, depth) = (values, 0)
        while !next.isEmpty, depth <= maximumDepth {
            let fresh = next.filter { asked.insert(BSONKey($0)).inserted }
            var rows = try filter.open(run.cursor(foreign.rows(matching: fresh)), run)
            next = []
            while let row = try rows.next() {
                guard seen.insert(BSONKey(row["_id"] ?? .null)).inserted else { continue }
                var document = row.document
                if let depthName { document.set(.int64(Int64(depth)), at: depthName[...]) }
                try run.memory.take(BSON.document(document).memoryByteCount, for: "$graphLookup")
                documents.append(.document(document))
                // A missing value isn't followed; null matches null.
                next += row.leaves(at: fromPath, .items).compactMap { $0 }
            }
            depth += 1
        }
        return documents
    }
}

internal import SealiteValues

/// The commands that only read documents: `find`, `count` and `distinct`.
enum ReadCommands {
    @Sendable
    static func find(_ command: MongoDocument, _ source: any DocumentSource) throws -> MongoDocument {
        let names: Set<String> = ["find", "filter", "projection", "sort", "skip", "limit", "batchSize", "singleBatch"]
        let fields = try CommandFields(command, at: "find", names.union(Command.commonNames))
        // A negative number is the number of documents of a single batch; 0 means no limit.
        let limit = try fields.integer("limit").flatMap { $0 == 0 ? nil : Int(clamping: $0.magnitude) }
        let statement = try FindStatement(
            filter: fields.document("filter"), sort: fields.document("sort"), skip: fields.count("skip") ?? 0,
            limit: limit, projection: fields.document("projection"), context: fields.context())
        var documents: [BSON] = []
        try statement.run(source) { document in
            documents.append(.document(document))
            return true
        }
        return ["cursor": ["firstBatch": .array(documents), "id": .int64(0)]]
    }

    @Sendable
    static func count(_ command: MongoDocument, _ source: any DocumentSource) throws -> MongoDocument {
        let names: Set<String> = ["count", "query", "skip", "limit"]
        let fields = try CommandFields(command, at: "count", names.union(Command.commonNames))
        let skip = try fields.count("skip") ?? 0
        let limit = try fields.integer("limit").flatMap { $0 == 0 ? nil : Int(clamping: $0.magnitude) }
        let filter = try Filter(parsing: fields.document("query"), context: fields.context())
        let count = try source.count(filter, limit: FindStatement.Window(skip: skip, limit: limit).end)
        return ["n": BSON(max(count - skip, 0))]
    }

    @Sendable
    static func distinct(_ command: MongoDocument, _ source: any DocumentSource) throws -> MongoDocument {
        let names: Set<String> = ["distinct", "key", "query"]
        let fields = try CommandFields(command, at: "distinct", names.union(Command.commonNames), required: ["key"])
        let statement = try DistinctStatement(
            fields.string("key"), filter: fields.document("query"), context: fields.context())
        return ["values": .array(try statement.run(source))]
    }
}

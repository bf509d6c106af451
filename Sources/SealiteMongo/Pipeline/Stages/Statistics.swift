internal import SealiteValues

/// The description of a collection, and its size.
struct CollectionStatistics: Sendable {
    /// The number of documents.
    let count: Int
    /// The number of bytes of the stored documents.
    let byteCount: Int
    /// The indexes, with the bytes of each.
    let indexes: [(model: IndexModel, byteCount: Int)]
}

/// A store that knows what the pipeline's own collection takes.
protocol StatisticsStore: PipelineStore {
    /// The name of the pipeline's collection with that of its scope.
    var namespace: String { get }

    /// Returns the names of the collections of the scope.
    func collections() throws -> [String]

    /// Returns what the collection takes; nil if it doesn't exist.
    func statistics() throws -> CollectionStatistics?
}

extension PipelineRun {
    /// Returns the store of a pipeline of a collection, for the stage with the name `stage`.
    func statisticsStore(for stage: String) throws -> any StatisticsStore {
        try require(
            store as? any StatisticsStore, 20, "\(stage) can be used only in a pipeline of a collection's aggregate.")
    }
}

extension StageKind {
    /// The stages that describe a collection: `$collStats`, `$indexStats` and `$planCacheStats`.
    static let statistics: [StageKind] = [
        .init("$collStats") { specification, parser in
            try parser.refuse("$collStats", within: ["$facet"])
            return try CollectionStatisticsStage(specification)
        },
        .init("$indexStats") { specification, parser in
            try parser.refuse("$indexStats", within: ["$facet"])
            try require(specification.isEmptyDocument, 28803, "$indexStats takes an empty object.")
            return FunctionStage { _, run in
                let store = try run.statisticsStore(for: "$indexStats")
                let start = run.options.now
                return run.cursor(try store.statistics()?.indexes.map { Row($0.model.statistics(since: start)) } ?? [])
            }
        },
        .init("$planCacheStats") { specification, parser in
            try parser.refuse("$planCacheStats", within: ["$facet"])
            let members = try requireDocument(specification, 9, "$planCacheStats takes an object")
            try require(members.count <= 1, 9, "$planCacheStats takes no member but 'allHosts'.")
            var isForAll = false
            for member in members {
                try require(member.key == "allHosts", 9, "$planCacheStats doesn't know the member '\(member.key)'.")
                guard case .bool(let value) = member.value else {
                    throw MongoError(code: 13111, "$planCacheStats takes a boolean as 'allHosts'.")
                }
                isForAll = value
            }
            try require(!isForAll, 4_503_200, "There is one host only, so that $planCacheStats can't ask all.")
            // Plans aren't kept.
            return FunctionStage { _, run in
                let store = try run.statisticsStore(for: "$planCacheStats")
                try require(
                    try store.statistics() != nil, 50933, "There is no collection '\(store.namespace)'.")
                return RowCursor([])
            }
        },
    ]
}

extension IndexModel {
    /// The row of the index in the output of `$indexStats`. The number of its uses isn't counted.
    fileprivate func statistics(since start: DateTime) -> MongoDocument {
        [
            "name": .string(name), "key": .document(keys), "host": "localhost",
            "accesses": ["ops": .int64(0), "since": .datetime(start)], "spec": .document(specification),
        ]
    }

    /// The definition of the index as `listIndexes` of a server returns it.
    private var specification: MongoDocument {
        var members: MongoDocument = ["v": .int32(2), "key": .document(keys), "name": .string(name)]
        if options.unique { members["unique"] = true }
        if options.sparse { members["sparse"] = true }
        members["partialFilterExpression"] = options.partialFilterExpression.map { .document($0) }
        members["expireAfterSeconds"] = options.expireAfterSeconds.map { BSON($0) }
        return members
    }
}

/// The stage `$collStats`, whose row has the number of documents and the size of a collection.
struct CollectionStatisticsStage: Stage {
    /// The number of bytes in which sizes are given; nil if they aren't asked for.
    private let scale: Int64?
    private let hasCount: Bool
    /// The names of the parts that aren't counted, if one is asked for.
    private let uncounted: [String]

    init(_ specification: BSON) throws {
        let members = try requireDocument(specification, 5_447_000, "$collStats takes an object")
        var (scale, hasCount, uncounted) = (Int64?.none, false, [String]())
        for member in members {
            try require(
                ["latencyStats", "storageStats", "count", "queryExecStats"].contains(member.key), 40415,
                "$collStats doesn't know the member '\(member.key)'.")
            if member.value == .null { continue }
            let options = try requireDocument(member.value, 14, "$collStats takes an object as '\(member.key)'")
            switch member.key {
            case "latencyStats":
                for option in options {
                    try require(
                        option.key == "histograms", 40415, "'latencyStats' doesn't know the member '\(option.key)'.")
                    guard case .bool = option.value else {
                        throw MongoError.typeMismatch("'latencyStats' takes a boolean as 'histograms'.")
                    }
                }
                uncounted.append(member.key)
            case "storageStats": scale = try Self.scale(options["scale"])
            default:
                try require(options.isEmpty, 31170, "$collStats takes an empty object as '\(member.key)'.")
                if member.key == "count" { hasCount = true } else { uncounted.append(member.key) }
            }
        }
        (self.scale, self.hasCount, self.uncounted) = (scale, hasCount, uncounted)
    }

    private static func scale(_ value: BSON?) throws -> Int64 {
        guard var value, value != .null else { return 1 }
        try requireNumber(value, 14, "'storageStats' takes a number as 'scale'")
        if case .decimal128(let number) = value { value = .decimal128(number.rounded(places: 0)) }
        let scale = value.truncatedInt64 ?? (value.compared(to: .int32(0)) > 0 ? .max : 0)
        try require(scale > 0, .badValue("'storageStats' takes a positive 'scale'."))
        return min(scale, Int64(Int32.max))
    }

    func open(_ input: RowCursor, _ run: PipelineRun) throws -> RowCursor {
        let store = try run.statisticsStore(for: "$collStats")
        let found = try store.statistics()
        let needsCollection = scale != nil || hasCount || uncounted.contains("queryExecStats")
        try require(
            found != nil || !needsCollection, 26, "There is no collection '\(store.namespace)'.")
        try require(
            uncounted.isEmpty, 20,
            "$collStats has no '\(uncounted.first ?? "")': the uses of a collection aren't counted.")
        var row: MongoDocument = [
            "ns": .string(store.namespace), "host": "localhost", "localTime": .datetime(run.options.now),
        ]
        if let found {
            if let scale { row["storageStats"] = .document(Self.sizes(found, scale)) }
            if hasCount { row["count"] = BSON(found.count) }
        }
        return RowCursor([Row(row)])
    }

    private static func sizes(_ found: CollectionStatistics, _ scale: Int64) -> MongoDocument {
        let scaled = { (byteCount: Int) in BSON(byteCount / Int(scale)) }
        let indexBytes = found.indexes.reduce(0) { $0 + $1.byteCount }
        var members: MongoDocument = ["size": scaled(found.byteCount), "count": BSON(found.count)]
        if found.count > 0 { members["avgObjSize"] = BSON(found.byteCount / found.count) }
        members["storageSize"] = scaled(found.byteCount)
        members["capped"] = false
        members["nindexes"] = BSON(found.indexes.count)
        members["indexSizes"] = .document(
            MongoDocument(found.indexes.map { .init($0.model.name, scaled($0.byteCount)) }))
        members["indexBuilds"] = .array([])
        members["totalIndexSize"] = scaled(indexBytes)
        members["totalSize"] = scaled(found.byteCount + indexBytes)
        members["scaleFactor"] = BSON(Int(scale))
        return members
    }
}

internal import SealiteValues

extension StageKind {
    /// The stages `$lookup` and `$graphLookup`, which read other collections.
    static let lookups: [StageKind] = [
        .init("$lookup") { specification, parser in try LookupStage(specification, parser) },
        .init("$graphLookup") { specification, parser in try GraphLookupStage(specification, parser) },
    ]
}

/// The stage `$lookup`, which adds to each row an array of rows of another collection: those with an equal value, or
/// those that a pipeline produces from these or from all rows.
struct LookupStage: Stage {
    private let collection: String?
    private let name: [String]
    private let localPath: FilterPath?
    private let foreignPath: FilterPath?
    private let variables: [(slot: Int, node: ExpressionNode)]
    private let stages: [any Stage]
    /// A Boolean value that says whether the pipeline doesn't depend on the row, so that its result is the same for all
    /// rows.
    private let isIndependent: Bool

    init(_ specification: BSON, _ parser: PipelineParser) throws {
        let names = ["from?", "localField?", "foreignField?", "as?", "let?", "pipeline?"]
        let given = try requireDocument(specification, 9, "$lookup takes an object")
        try require(!given.isEmpty, 9, "$lookup takes an object that isn't empty.")
        try require(Set(given.keys).count == given.count, 40413, "$lookup has a member twice.")
        try require(
            given["from"] != nil || given["pipeline"] != nil, 9, "$lookup needs the member 'from' or a 'pipeline'.")
        // Null stands for a missing member.
        let members = try StageMembers(
            .document(
                MongoDocument(given.members.filter { $0.value != .null || ["from", "pipeline"].contains($0.key) })),
            of: "$lookup", names)
        let text = try require(members.string("as"), 40414, "$lookup needs the member 'as'.")
        name = try FieldPath(text).names
        localPath = try Self.path(members, "localField")
        foreignPath = try Self.path(members, "foreignField")
        try require(
            (localPath == nil) == (foreignPath == nil) && (localPath != nil || members["pipeline"] != nil), 9,
            "$lookup needs both 'localField' and 'foreignField', or a 'pipeline' and neither of them.")
        let bound = try members.document("let") ?? [:]
        try require(bound.isEmpty || members["pipeline"] != nil, 9, "$lookup takes 'let' only with a 'pipeline'.")
        for name in bound.keys {
            try require(!name.isEmpty, 9, "The name of a variable in 'let' of $lookup is empty.")
            try ExpressionParser.checkVariable(name)
        }
        let (inner, slots) = parser.binding(bound.keys)
        variables = try zip(slots, bound).map { ($0, try parser.expressions.parse($1.value)) }
        let startsWithDocuments = members["pipeline"]?.items?.first?.members?["$documents"] != nil
        switch members["from"] {
        case nil: collection = nil
        case .string(let from)?:
            try OutputTarget.check(collection: from, "$lookup")
            collection = from
        case .document(let from)?:
            for key in from.keys where !["db", "coll"].contains(key) {
                throw MongoError(code: 40415, "'from' of $lookup doesn't know the member '\(key)'.")
            }
            for member in from {
                _ = try requireString(member.value, 14, "'from' of $lookup takes a string as '\(member.key)'")
            }
            throw MongoError.failedToParse("$lookup reads only collections of its own scope; 'from' must be a name.")
        case let other?:
            throw MongoError.failedToParse("$lookup takes the name of a collection as 'from', not \(other.type.alias).")
        }
        try require(
            collection == nil || !startsWithDocuments, 73,
            "$lookup takes no 'from' with a 'pipeline' that begins with $documents.")
        try require(
            collection != nil || startsWithDocuments, 9,
            "$lookup needs 'from', or a 'pipeline' that begins with $documents.")
        stages = try members["pipeline"].map { try inner.nested($0, of: "$lookup") } ?? []
        isIndependent = localPath == nil && bound.isEmpty && !parser.isNested
    }

    /// Returns the path that a member gives; nil if it is missing or empty.
    private static func path(_ members: StageMembers, _ name: String) throws -> FilterPath? {
        guard let value = members[name] else { return nil }
        let text = try requireString(value, 14, "$lookup takes a string as '\(name)'")
        return text.isEmpty ? nil : try FilterPath(try FieldPath(text).text)
    }

    /// A Boolean value that says whether the rows that are looked up are those of a `$documents`.
    private var readsDocuments: Bool { collection == nil && localPath != nil }

    private func foreignRows(_ run: PipelineRun) throws -> ForeignRows {
        guard readsDocuments, let documents = stages.first else {
            return try ForeignRows(collection, by: foreignPath, run, for: "$lookup")
        }
        return try ForeignRows(of: documents.open(RowCursor([]), run), by: foreignPath, run, for: "$lookup")
    }

    func open(_ input: RowCursor, _ run: PipelineRun) throws -> RowCursor {
        let evaluation = run.evaluation()
        var foreign: ForeignRows?
        var known: FoundDocuments?
        return input.map { row in
            let rows = try foreign ?? foreignRows(run)
            foreign = rows
            evaluation.row = row
            let found = try known ?? documents(row, rows, evaluation, run)
            if isIndependent { known = found }
            return try found.added(to: row, at: name)
        }
    }

    /// Returns the documents of the other collection that are found for a row. Afterwards only documents that are kept
    /// for all rows count in the memory budget.
    private func documents(
        _ row: Row, _ foreign: ForeignRows, _ evaluation: Evaluation, _ run: PipelineRun
    ) throws -> FoundDocuments {
        let rows = localPath.map { foreign.rows(matching: row.localValues(at: $0)) } ?? foreign.rows
        let stages = readsDocuments ? stages.dropFirst() : stages[...]
        var inner = run
        for (slot, node) in variables { inner.variables.append((slot, try node.value(evaluation))) }
        let found = try run.memory.releasing {
            var output = try Array(stages).open(run.cursor(rows), inner)
            return try FoundDocuments(output.documents(run, "$lookup"))
        }
        if isIndependent { try run.memory.take(found.array.memoryByteCount, for: "$lookup") }
        return found
    }
}

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
        let names = [
            "from", "startWith", "connectFromField", "connectToField", "as", "maxDepth?", "depthField?",
            "restrictSearchWithMatch?",
        ]
        let members = try StageMembers(specification, of: "$graphLookup", names)
        collection = try members.string("from") ?? ""
        start = try parser.expressions.parse(members["startWith"] ?? .null)
        fromPath = try FilterPath(try FieldPath(try members.string("connectFromField") ?? "").text)
        toPath = try FilterPath(try FieldPath(try members.string("connectToField") ?? "").text)
        name = try FieldPath(try members.string("as") ?? "").names
        depthName = try members.string("depthField").map { try FieldPath($0).names }
        if let limit = members["maxDepth"] {
            guard let depth = BSONNumber(limit)?.exactInteger, depth >= 0 else {
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

/// The rows of another collection, held in memory for `$lookup` and `$graphLookup`.
final class ForeignRows {
    /// All rows in the collection's order.
    let rows: [Row]
    private let path: FilterPath?
    private var places: [BSONKey: [Int]] = [:]

    /// Reads the rows of a collection (none if it is nil), and indexes them by the values at a path unless the path is
    /// nil.
    convenience init(_ collection: String?, by path: FilterPath?, _ run: PipelineRun, for stage: String) throws {
        let cursor = try collection.map { try run.openStore(for: stage).rows(of: $0) }
        try self.init(of: cursor ?? RowCursor([]), by: path, run, for: stage)
    }

    /// Reads rows, and indexes them by the values at a path unless the path is nil.
    init(of cursor: RowCursor, by path: FilterPath?, _ run: PipelineRun, for stage: String) throws {
        self.path = path
        var (cursor, rows) = (cursor, [Row]())
        while let row = try cursor.next() {
            try run.memory.take(row.memoryByteCount, for: stage)
            rows.append(row)
        }
        self.rows = rows
        guard let path else { return }
        for (place, row) in rows.enumerated() {
            for key in Set(row.leaves(at: path, .itemsAndArrays).map { BSONKey($0 ?? .null) }) {
                try run.memory.take(key.value.memoryByteCount, for: stage)
                places[key, default: []].append(place)
            }
        }
    }

    /// Returns the rows that have one of the values at the path, in the collection's order.
    func rows(matching values: [BSON]) -> [Row] {
        var found: Set<Int> = []
        for value in values { found.formUnion(places[BSONKey(value)] ?? []) }
        return found.sorted().map { rows[$0] }
    }
}

extension Row {
    /// Returns the values at a path by which the rows of another collection are looked up: the items of an array, null
    /// for a missing value.
    func localValues(at path: FilterPath) -> [BSON] {
        let values = leaves(at: path, .items).map { $0 ?? .null }
        // An empty array, and an index that an array doesn't have, count as missing.
        return values.isEmpty ? [.null] : values
    }
}

/// The documents that `$lookup` or `$graphLookup` found for a row.
struct FoundDocuments {
    /// The documents as an array.
    let array: BSON
    /// The remainder of the limits on the size of a value, without the size of the documents.
    private let room: ValueSizeLimit

    /// Creates the documents that were found; throws `MongoError` if they are too large in total.
    init(_ documents: [BSON]) throws {
        array = .array(documents)
        var room = ValueSizeLimit()
        try room.add(array)
        self.room = room
    }

    /// Returns a row with the documents as the member at a path.
    ///
    /// - Throws: `MongoError` if the row becomes too large.
    func added(to row: Row, at path: [String]) throws -> Row {
        var document = row.document
        var rest = room
        try rest.add(.document(document))
        document.set(array, at: path[...])
        return row.replaced(by: document)
    }
}

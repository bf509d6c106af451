internal import SealiteValues

/// The parser of aggregation pipelines, with the variables, such as those of `let`, that are in scope at the current
/// position.
struct PipelineParser {
    /// The maximum number of stages of a pipeline.
    static let maximumCount = 1000
    /// The maximum nesting depth of pipelines.
    static let maximumDepth = 20

    let slots: SlotCounter
    /// The parser of expressions.
    var expressions: ExpressionParser
    private var depth = 0
    /// The name of the stage that the pipeline is a part of, such as `$lookup`; nil if it isn't a part of one.
    private(set) var outerStage: String?
    /// A Boolean value that says whether the pipeline has no collection.
    var isOfDatabase = false
    /// A Boolean value that says whether the pipeline is part of a `$facet`, at any depth.
    private(set) var isInFacet = false
    /// A Boolean value that says whether the pipeline is part of another pipeline's stage, such as `$lookup`.
    var isNested: Bool { depth > 0 }

    init(_ slots: SlotCounter) {
        self.slots = slots
        expressions = ExpressionParser(slots)
    }

    /// Returns a parser with further variables in scope, and the indices of these variables in `Evaluation.slots`, in
    /// the order of the names.
    func binding(_ names: [String]) -> (PipelineParser, [Int]) {
        var parser = self
        let (expressions, added) = self.expressions.binding(names)
        parser.expressions = expressions
        return (parser, added)
    }

    /// Parses the pipeline, an array of stages, that is part of the stage with the name `stage`.
    func nested(_ value: BSON, of stage: String) throws -> [any Stage] {
        var parser = self
        parser.depth += 1
        parser.outerStage = stage
        if stage != "$facet" { parser.isOfDatabase = false }
        if stage == "$facet" { parser.isInFacet = true }
        // Only the pipelines of a `$facet` have the rows of the outer pipeline.
        if stage != "$facet" { parser.expressions.metadata = [] }
        try require(
            parser.depth <= Self.maximumDepth, 232, "Pipelines are nested more than \(Self.maximumDepth) levels deep.")
        let items = try requireArray(value, 14, "A pipeline of \(stage) must be an array")
        return try parser.stages(items)
    }

    /// Parses the stages of a pipeline.
    func stages(_ items: [BSON]) throws -> [any Stage] {
        try require(
            items.count <= Self.maximumCount, 7_749_501, "A pipeline has more than \(Self.maximumCount) stages.")
        var stages: [any Stage] = []
        var parser = self
        // A filter without conditions counts for nothing before a $geoNear.
        let first = items.firstIndex { $0 != ["$match": [:]] }
        for (index, item) in items.enumerated() {
            let (name, stage) = try parser.stage(item)
            if index == 0 { try parser.checkTarget(of: name) }
            try require(
                index == 0 || !stage.needsIndex, 17313, "A $match with $text must be the first stage of a pipeline.")
            try require(
                index == 0 || !StageKind.firstOnly.contains(name), name == "$rankFusion" ? 10_170_100 : 40602,
                "\(name) must be the first stage of a pipeline.")
            try require(
                index == first || name != "$geoNear", 40603, "\(name) must be the first stage of a pipeline.")
            try require(
                index == items.count - 1 || name != "$out" && name != "$merge", 40601,
                "\(name) must be the last stage of a pipeline.")
            if let last = stages.popLast() { stages.append(last.followed(by: stage)) }
            stages.append(stage)
            if StageKind.makesOthers.contains(name) { parser.expressions.metadata = [] }
            parser.expressions.metadata.formUnion(stage.givenMetadata)
        }
        return stages
    }

    /// Throws `MongoError` 73 if a pipeline that begins with a stage needs a collection and has none, or the other way
    /// round.
    private func checkTarget(of first: String) throws {
        let isForDatabase = StageKind.ofDatabases.contains(first)
        try require(
            !isOfDatabase || isForDatabase || first == "$documents", 73,
            "A pipeline without a collection can't begin with \(first); it begins with a stage such as $documents.")
        try require(
            isOfDatabase || !isForDatabase, first == "$listClusterCatalog" ? 9_621_301 : 73,
            "\(first) needs a pipeline without a collection.")
    }

    /// Throws `MongoError` if the pipeline is part of a stage in whose pipelines the stage with the name `stage` isn't
    /// allowed: those in `outer`, by default all.
    func refuse(_ stage: String, within outer: Set<String> = ["$facet", "$lookup", "$graphLookup", "$unionWith"]) throws
    {
        let codes = ["$facet": 40600, "$lookup": 51047, "$graphLookup": 51047, "$unionWith": 31441]
        let around =
            outerStage.flatMap { outer.contains($0) ? $0 : nil } ?? (isInFacet && outer == ["$facet"] ? "$facet" : nil)
        guard let around, let code = codes[around] else { return }
        throw MongoError(code: code, "\(stage) isn't allowed in a pipeline of \(around).")
    }

    private func stage(_ item: BSON) throws -> (String, any Stage) {
        let document = try requireDocument(
            item, outerStage == "$facet" ? 40171 : 14, "A stage of a pipeline must be an object with one member")
        let member = try require(
            document.members.first, 40323, "A stage of a pipeline must be an object with one member, not an empty one.")
        try require(document.count == 1, 40323, "A stage of a pipeline must have one member, not \(document.count).")
        let kind = try require(StageKind.all[member.key], 40324, "There is no stage '\(member.key)' of a pipeline.")
        return (kind.name, try kind.make(member.value, self))
    }
}

extension [any Stage] {
    /// Returns the rows that the stages, applied in order, produce from `input`.
    func open(_ input: RowCursor, _ run: PipelineRun) throws -> RowCursor {
        try reduce(input) { try $1.open($0, run) }
    }
}

/// A parsed stage of a pipeline.
protocol Stage: Sendable {
    /// Returns the rows that the stage produces from its input in a run of the pipeline.
    func open(_ input: RowCursor, _ run: PipelineRun) throws -> RowCursor

    /// Returns the stage that takes this one's place before another one; by default the stage itself.
    func followed(by next: any Stage) -> any Stage

    /// The metadata that the stage's rows have in addition to that of its input.
    var givenMetadata: Set<MetadataField> { get }

    /// A Boolean value that says whether the stage searches in an index, so that it must be the first one.
    var needsIndex: Bool { get }
}

extension Stage {
    func followed(by next: any Stage) -> any Stage { self }
    var givenMetadata: Set<MetadataField> { [] }
    var needsIndex: Bool { false }
}

/// A stage of a pipeline that is implemented by a function from the input rows to the output rows.
struct FunctionStage: Stage {
    let function: @Sendable (RowCursor, PipelineRun) throws -> RowCursor

    init(_ function: @escaping @Sendable (RowCursor, PipelineRun) throws -> RowCursor) { self.function = function }

    func open(_ input: RowCursor, _ run: PipelineRun) throws -> RowCursor { try function(input, run) }
}

/// The name of a stage, and the parser of its specification.
struct StageKind: Sendable {
    /// A function that parses a stage's specification.
    typealias Make = @Sendable (_ specification: BSON, _ parser: PipelineParser) throws -> any Stage

    let name: String
    let make: Make

    init(_ name: String, _ make: @escaping Make) { (self.name, self.make) = (name, make) }

    /// The names of the stages that can only be the first one of a pipeline.
    static let firstOnly: Set = [
        "$documents", "$vectorSearch", "$rankFusion", "$collStats", "$indexStats", "$planCacheStats", "$querySettings",
        "$listLocalSessions", "$listClusterCatalog", "$currentOp", "$queryStats", "$listSessions", "$changeStream",
    ]
    /// The names of the stages that belong to a database, and not to a collection.
    static let ofDatabases: Set = [
        "$querySettings", "$listLocalSessions", "$listClusterCatalog", "$currentOp", "$queryStats",
    ]
    /// The names of the stages whose rows are no longer the documents of their input, and have none of their metadata.
    static let makesOthers: Set = ["$group", "$sortByCount", "$count", "$bucket", "$bucketAuto", "$facet"]

    /// The stages that only affect MongoDB's optimizer; they pass their input on.
    private static let internals: [StageKind] = [
        .init("$_internalInhibitOptimization") { _, _ in FunctionStage { input, _ in input } }
    ]

    /// All kinds of stages by their names, such as `$match`.
    static let all: [String: StageKind] = {
        let kinds: [[StageKind]] = [
            filters, shapes, limits, sorts, groups, buckets, unwinding, facets, lookups, redactions, unions, windows,
            densities, outputs, vectorSearches, geoSearches, fusions, statistics, catalogs, internals,
        ]
        return Dictionary(kinds.joined().map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }()
}

/// The members of a stage's specification, which is an object, by name.
struct StageMembers {
    private let members: MongoDocument
    private let stage: String

    /// Creates the members of the specification of the stage with the name `stage`. Those whose names end with a
    /// question mark in `names` are optional. Throws `MongoError` if the specification isn't an object (with `code`), has
    /// a member that isn't in `names` (`unknown`), or lacks one that isn't optional (`absent`).
    init(
        _ specification: BSON, of stage: String, _ names: [String], code: Int = 9, unknown unknownCode: Int = 40415,
        absent absentCode: Int = 40414
    ) throws {
        let members = try requireDocument(specification, code, "\(stage) takes an object")
        let known = names.map { $0.hasSuffix("?") ? String($0.dropLast()) : $0 }
        if let unknown = members.keys.first(where: { !known.contains($0) }) {
            throw MongoError(code: unknownCode, "\(stage) doesn't know the member '\(unknown)'.")
        }
        if let absent = names.first(where: { !$0.hasSuffix("?") && members[$0] == nil }) {
            throw MongoError(code: absentCode, "\(stage) needs the member '\(absent)'.")
        }
        (self.members, self.stage) = (members, stage)
    }

    subscript(name: String) -> BSON? { members[name] }

    /// Returns the member with a name, which must be a string; nil if it is missing.
    func string(_ name: String) throws -> String? { try member(name, "a string") { $0.text } }

    /// Returns the member with a name, which must be a document; nil if it is missing.
    func document(_ name: String) throws -> MongoDocument? { try member(name, "an object") { $0.members } }

    /// Returns the items of the member with a name, which must be an array; nil if it is missing.
    func array(_ name: String) throws -> [BSON]? { try member(name, "an array") { $0.items } }

    private func member<Value>(_ name: String, _ wanted: String, _ read: (BSON) -> Value?) throws -> Value? {
        guard let value = members[name] else { return nil }
        return try require(read(value), 14, "\(stage) takes \(wanted) as '\(name)', not \(value.type.alias).")
    }
}

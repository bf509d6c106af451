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
        // Only the pipelines of a `$facet` have the rows of the outer pipeline.
        if stage != "$facet" { parser.expressions.hasScore = false }
        try require(
            parser.depth <= Self.maximumDepth, 15, "Pipelines are nested more than \(Self.maximumDepth) levels deep.")
        let items = try requireArray(value, 14, "A pipeline of \(stage) must be an array")
        return try parser.stages(items)
    }

    /// Parses the stages of a pipeline.
    func stages(_ items: [BSON]) throws -> [any Stage] {
        try require(items.count <= Self.maximumCount, 9, "A pipeline has more than \(Self.maximumCount) stages.")
        var stages: [any Stage] = []
        var parser = self
        for (index, item) in items.enumerated() {
            let (name, stage) = try parser.stage(item)
            try require(
                index == 0 || !StageKind.firstOnly.contains(name), 40602,
                "\(name) must be the first stage of a pipeline.")
            try require(
                index == items.count - 1 || name != "$out" && name != "$merge", 40601,
                "\(name) must be the last stage of a pipeline.")
            if let last = stages.popLast() { stages.append(last.followed(by: stage)) }
            stages.append(stage)
            let hadScore = parser.expressions.hasScore
            parser.expressions.hasScore = name == "$vectorSearch" || hadScore && !StageKind.makesOthers.contains(name)
        }
        return stages
    }

    private func stage(_ item: BSON) throws -> (String, any Stage) {
        guard case .document(let document) = item, let member = document.members.first else {
            throw MongoError(code: 40323, "A stage of a pipeline must be an object with one member.")
        }
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
}

extension Stage {
    func followed(by next: any Stage) -> any Stage { self }
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
    static let firstOnly: Set = ["$documents", "$vectorSearch"]
    /// The names of the stages whose rows are no longer the documents of their input, and have none of their scores.
    static let makesOthers: Set = ["$group", "$sortByCount", "$count", "$bucket", "$bucketAuto", "$facet"]

    /// The stages that only affect MongoDB's optimizer; they pass their input on.
    private static let internals: [StageKind] = [
        .init("$_internalInhibitOptimization") { _, _ in FunctionStage { input, _ in input } }
    ]

    /// All kinds of stages by their names, such as `$match`.
    static let all: [String: StageKind] = {
        let kinds: [[StageKind]] = [
            filters, shapes, limits, sorts, groups, buckets, unwinding, facets, lookups, redactions, unions, windows,
            densities, outputs, vectorSearches, internals,
        ]
        return Dictionary(kinds.joined().map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }()
}

/// The members of a stage's specification, which is an object, by name.
struct StageMembers {
    private let members: MongoDocument
    private let stage: String

    /// Creates the members of the specification of the stage with the name `stage`. Those whose names end with a
    /// question mark in `names` are optional. Throws `MongoError` if the specification isn't an object, has a member
    /// that isn't in `names`, or lacks one that isn't optional; `code` is the error's code if it isn't an object.
    init(_ specification: BSON, of stage: String, _ names: [String], code: Int = 9) throws {
        let members = try requireDocument(specification, code, "\(stage) takes an object")
        let known = names.map { $0.hasSuffix("?") ? String($0.dropLast()) : $0 }
        if let unknown = members.keys.first(where: { !known.contains($0) }) {
            throw MongoError(code: 40415, "\(stage) doesn't know the member '\(unknown)'.")
        }
        if let absent = names.first(where: { !$0.hasSuffix("?") && members[$0] == nil }) {
            throw MongoError(code: 40414, "\(stage) needs the member '\(absent)'.")
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

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
    /// A Boolean value that says whether the pipeline is one of those of a `$facet`, in which another `$facet` isn't
    /// allowed.
    private(set) var isFacet = false
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
    func nested(_ value: BSON, of stage: String, isFacet: Bool = false) throws -> [any Stage] {
        var parser = self
        parser.depth += 1
        parser.isFacet = isFacet
        guard parser.depth <= Self.maximumDepth else {
            throw MongoError(code: 15, "Pipelines are nested more than \(Self.maximumDepth) levels deep.")
        }
        guard case .array(let items) = value else {
            throw MongoError(code: 14, "A pipeline of \(stage) must be an array, not \(value.type.alias).")
        }
        return try parser.stages(items)
    }

    /// Parses the stages of a pipeline.
    func stages(_ items: [BSON]) throws -> [any Stage] {
        guard items.count <= Self.maximumCount else {
            throw MongoError(code: 9, "A pipeline has more than \(Self.maximumCount) stages.")
        }
        var stages: [any Stage] = []
        for (index, item) in items.enumerated() {
            let (name, stage) = try stage(item)
            guard index == 0 || name != "$documents" else {
                throw MongoError(code: 40602, "\(name) must be the first stage of a pipeline.")
            }
            guard index == items.count - 1 || name != "$out" && name != "$merge" else {
                throw MongoError(code: 40601, "\(name) must be the last stage of a pipeline.")
            }
            // A limit after a sort bounds the number of rows that the sort keeps.
            if let limit = stage as? LimitStage, let sort = stages.last as? SortStage {
                stages[stages.count - 1] = sort.limited(to: limit.count)
            }
            stages.append(stage)
        }
        return stages
    }

    private func stage(_ item: BSON) throws -> (String, any Stage) {
        guard case .document(let document) = item, let member = document.members.first else {
            throw MongoError(code: 40323, "A stage of a pipeline must be an object with one member.")
        }
        guard document.count == 1 else {
            throw MongoError(code: 40323, "A stage of a pipeline must have one member, not \(document.count).")
        }
        guard let kind = StageKind.all[member.key] else {
            throw MongoError(code: 40324, "There is no stage '\(member.key)' of a pipeline.")
        }
        return (kind.name, try kind.make(member.value, self))
    }
}

extension [any Stage] {
    /// Returns the rows that the stages, applied in order, produce from `input`.
    func open(_ input: RowCursor, _ run: PipelineRun) throws -> RowCursor {
        try reduce(input) { try $1.open($0, run) }
    }
}

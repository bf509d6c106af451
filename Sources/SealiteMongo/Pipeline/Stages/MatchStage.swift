internal import SealiteValues

/// The stage `$match`, which keeps the rows that fulfil a filter.
struct MatchStage: Stage {
    /// The parsed filter if it has no expression, which could depend on the variables of a run; otherwise nil.
    private let constant: Filter?
    private let document: MongoDocument
    /// The variables that expressions of the filter may use, with their indices in `Evaluation.slots`.
    private let variables: [(name: String, slot: Int)]

    init(_ document: MongoDocument, _ parser: ExpressionParser) throws {
        (self.document, variables) = (document, parser.visibleVariables)
        // Parsed here in any case, so that errors are thrown before the first row.
        let known = MongoDocument(variables.map { .init($0.name, .null) })
        let filter = try Filter(parsing: document, context: FilterContext(variables: known))
        constant = Self.hasExpression(document) ? nil : filter
    }

    /// Returns a Boolean value that says whether a filter may contain an expression (`$expr`).
    private static func hasExpression(_ document: MongoDocument) -> Bool {
        document.contains { member in
            if member.key == "$expr" { return true }
            guard case .array(let items) = member.value else { return false }
            return items.contains { if case .document(let nested) = $0 { hasExpression(nested) } else { false } }
        }
    }

    func open(_ input: RowCursor, _ run: PipelineRun) throws -> RowCursor {
        let filter = try constant ?? Filter(parsing: document, context: context(run))
        return input.map { try filter.matches($0) ? $0 : nil }
    }

    /// Returns the context for parsing the filter in a run, with the values that the variables have there.
    private func context(_ run: PipelineRun) -> FilterContext {
        let evaluation = run.evaluation()
        let values = variables.map { variable -> MongoDocument.Member in
            // A missing value stays missing.
            let value = evaluation.slots[variable.slot].map { BSON.document(["$literal": $0]) } ?? .string("$$REMOVE")
            return .init(variable.name, value)
        }
        return FilterContext(variables: MongoDocument(values), now: run.options.now)
    }
}

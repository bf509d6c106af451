internal import SealiteValues

extension StageKind {
    /// The stage `$match`, which keeps the rows that fulfil a filter.
    static let filters: [StageKind] = [
        .init("$match") { specification, parser in
            let document = try requireDocument(specification, 15959, "$match takes an object")
            return try MatchStage(document, parser.expressions)
        }
    ]
}

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
        var context = FilterContext(variables: known)
        context.allowsNear = false
        let filter = try Filter(parsing: document, context: context)
        constant = Self.hasExpression(document) ? nil : filter
        givenMetadata = filter.metadata
    }

    let givenMetadata: Set<MetadataField>
    var needsIndex: Bool { !givenMetadata.isEmpty }

    /// Returns a Boolean value that says whether a filter may contain an expression (`$expr`).
    private static func hasExpression(_ document: MongoDocument) -> Bool {
        document.contains { member in
            if member.key == "$expr" { return true }
            guard case .array(let items) = member.value else { return false }
            return items.contains { if case .document(let nested) = $0 { hasExpression(nested) } else { false } }
        }
    }

    /// Returns the filter with the values that the variables have in a run.
    func filter(_ run: PipelineRun) throws -> Filter {
        try constant ?? Filter(parsing: document, context: context(run))
    }

    func open(_ input: RowCursor, _ run: PipelineRun) throws -> RowCursor {
        let filter = try filter(run)
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

extension StageKind {
    /// The stage `$redact`, which restricts the content of documents level by level.
    static let redactions: [StageKind] = [
        .init("$redact") { specification, parser in
            switch specification {
            case .string, .document: break
            default: throw MongoError(code: 17053, "$redact takes an expression, not \(specification.type.alias).")
            }
            var expressions = parser.expressions
            for decision in RedactStage.Decision.allCases {
                expressions = expressions.binding(decision.rawValue, to: decision.value)
            }
            let (inner, slots) = expressions.binding(["CURRENT"])
            return RedactStage(node: try inner.parse(specification), current: slots[0])
        }
    ]
}

/// The stage `$redact`, which keeps or removes documents and the documents nested in them, as an expression decides.
struct RedactStage: Stage {
    /// The decision of the expression for a document or a nested document.
    enum Decision: String, CaseIterable {
        case descend = "DESCEND"
        case prune = "PRUNE"
        case keep = "KEEP"

        /// The value that the variable with the decision's name has in the expression, which no document has: a
        /// symbol that begins with a NUL character.
        var value: BSON { .symbol("\u{0}\(rawValue)") }
    }

    let node: ExpressionNode
    /// The index in `Evaluation.slots` of the document that the expression decides about.
    let current: Int

    func open(_ input: RowCursor, _ run: PipelineRun) throws -> RowCursor {
        let evaluation = run.evaluation()
        return input.map { row in
            evaluation.row = row
            return try redacted(row.document, evaluation).map { row.replaced(by: $0) }
        }
    }

    /// Returns what the expression leaves of a document; nil if the document is removed.
    private func redacted(_ document: MongoDocument, _ evaluation: Evaluation) throws -> MongoDocument? {
        evaluation.slots[current] = .document(document)
        let value = try node.value(evaluation)
        switch Decision.allCases.first(where: { $0.value == value }) {
        case .keep: return document
        case .prune: return nil
        case .descend:
            return MongoDocument(
                try document.compactMap { member in
                    try redacted(member.value, evaluation).map { .init(member.key, $0) }
                })
        case nil:
            throw MongoError(
                code: 17053,
                "$redact's expression must give $$KEEP, $$PRUNE or $$DESCEND, but gave another value, of the type \(value.typeName)."
            )
        }
    }

    private func redacted(_ value: BSON, _ evaluation: Evaluation) throws -> BSON? {
        switch value {
        case .document(let document): try redacted(document, evaluation).map { .document($0) }
        case .array(let items): .array(try items.compactMap { try redacted($0, evaluation) })
        default: value
        }
    }
}

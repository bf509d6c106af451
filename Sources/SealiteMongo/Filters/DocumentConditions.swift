internal import SealiteValues
internal import Synchronization

/// The conditions of filters on whole documents: `$expr` and `$jsonSchema`.
enum DocumentConditions {
    /// Returns the condition of `$expr`, which a document fulfils if the expression's value for it is true as a
    /// Boolean.
    static func expression(_ operand: BSON, _ context: FilterContext) throws -> DocumentCondition {
        let variables = try CommandVariables(context)
        let expression = try variables.parser.parse(operand)
        let surroundings = variables.surroundings
        return { row in
            let evaluation = surroundings.evaluation()
            evaluation.row = row
            return try expression.value(evaluation).isTrue
        }
    }

    /// Returns the condition of `$jsonSchema`, which a document fulfils if it satisfies the schema.
    static func schema(_ operand: BSON) throws -> DocumentCondition {
        let document = try require(operand.members, .typeMismatch("$jsonSchema takes an object."))
        do throws(JSONSchemaError) {
            let schema = try JSONSchema(document, dialect: .mongo, patterns: pattern)
            return { row in
                let failure = PatternFailure()
                let isFulfilled = PatternFailure.$current.withValue(failure) { schema.isFulfilled(by: row.document) }
                if let error = failure.error { throw error }
                return isFulfilled
            }
        } catch {
            throw MongoError(code: error.code.rawValue, error.description)
        }
    }

    @Sendable
    private static func pattern(_ text: String) -> JSONSchema.Pattern? {
        guard let pattern = try? FilterPattern(Regex(text)) else { return nil }
        return { text in
            do throws(MongoError) {
                return try pattern.isFound(in: text)
            } catch {
                PatternFailure.current?.note(error)
                return false
            }
        }
    }
}

/// The error of a pattern while a document is tested with a `$jsonSchema`, whose patterns can't throw.
private final class PatternFailure: Sendable {
    /// The failure to be noted by the patterns of the test in progress.
    @TaskLocal static var current: PatternFailure?

    private let first = Mutex<MongoError?>(nil)

    var error: MongoError? { first.withLock { $0 } }

    func note(_ error: MongoError) { first.withLock { $0 = $0 ?? error } }
}

/// The variables of a command, such as those of `let`, and the context for expressions that use them.
struct CommandVariables {
    /// The parser of expressions, with the variables in scope.
    let parser: ExpressionParser
    private let slots: SlotCounter
    private let values: [(slot: Int, value: BSON?)]
    private let now: DateTime

    /// Evaluates the variables in order; each may use the previous ones, and none may read a document.
    init(_ context: FilterContext) throws {
        now = context.now
        let slots = SlotCounter()
        var parser = ExpressionParser(slots)
        var values: [(slot: Int, value: BSON?)] = []
        for variable in context.variables {
            try ExpressionParser.checkVariable(variable.key)
            try require(
                !Self.readsDocument(variable.value, depth: 0), 4_890_500,
                "The variable '\(variable.key)' of 'let' must not use a path into a document, or be nested more than \(FilterParser.maximumDepth) levels deep."
            )
            let node = try parser.parse(variable.value)
            let surroundings = Surroundings(slotCount: slots.count, values: values, now: context.now)
            let value = try node.value(surroundings.evaluation())
            let (next, added) = parser.binding([variable.key])
            parser = next
            values.append((added[0], value))
        }
        (self.parser, self.slots, self.values) = (parser, slots, values)
    }

    /// A context with the variables' values, for evaluating the expressions that `parser` has parsed so far.
    var surroundings: Surroundings { Surroundings(slotCount: slots.count, values: values, now: now) }

    /// The values of the variables, and the time, for evaluating expressions; it can be copied to other threads.
    struct Surroundings: Sendable {
        fileprivate let slotCount: Int
        fileprivate let values: [(slot: Int, value: BSON?)]
        fileprivate let now: DateTime

        /// Returns a new evaluation in which the variables have their values, for use by one thread at a time.
        func evaluation() -> Evaluation {
            let evaluation = Evaluation(Row(MongoDocument()), slotCount: slotCount, now: now)
            for (slot, value) in values { evaluation.slots[slot] = value }
            return evaluation
        }
    }

    /// Returns a Boolean value that says whether an expression contains a path into a document, or is nested too deep
    /// to be searched for one.
    static func readsDocument(_ expression: BSON, depth: Int) -> Bool {
        guard depth < FilterParser.maximumDepth else { return true }
        switch expression {
        case .string(let text):
            return text.hasPrefix("$") && !text.hasPrefix("$$") || text.hasPrefix("$$ROOT")
                || text.hasPrefix("$$CURRENT")
        case .array(let items): return items.contains { readsDocument($0, depth: depth + 1) }
        case .document(let document):
            return document.contains { $0.key != "$literal" && readsDocument($0.value, depth: depth + 1) }
        default: return false
        }
    }
}

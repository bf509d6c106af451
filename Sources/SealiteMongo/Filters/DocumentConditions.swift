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
        guard case .document(let document) = operand else {
            throw MongoError.typeMismatch("$jsonSchema takes an object.")
        }
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

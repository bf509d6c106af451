/// A schema: the conjunction of its keywords' checks.
struct SchemaNode: Sendable {
    var checks: [any SchemaCheck] = []

    /// Returns whether a value satisfies all checks.
    func isFulfilled(by value: BSON) -> Bool { checks.allSatisfy { $0.isFulfilled(by: value) } }

    /// Returns the violations of all checks by a value at a path from the root, check by check.
    func violations(in value: BSON, at path: [String]) -> [JSONSchema.Violation] {
        checks.flatMap { $0.violations(in: value, at: path) }
    }
}

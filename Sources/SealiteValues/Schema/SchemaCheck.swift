/// The check of a value by a keyword of JSON Schema, perhaps together with related keywords.
protocol SchemaCheck: Sendable {
    /// The keyword that violations name.
    var keyword: String { get }

    /// Returns whether a value satisfies the check.
    func isFulfilled(by value: BSON) -> Bool

    /// Returns the violations of the check by a value at a path from the root. A keyword for members or items returns
    /// their violations.
    func violations(in value: BSON, at path: [String]) -> [JSONSchema.Violation]
}

extension SchemaCheck {
    func violations(in value: BSON, at path: [String]) -> [JSONSchema.Violation] {
        isFulfilled(by: value) ? [] : [JSONSchema.Violation(path: path.joined(separator: "."), keyword: keyword)]
    }
}

/// The check of a keyword, which may include related keywords.
protocol SchemaCheck: Sendable {
    /// The keyword that violations name.
    var keyword: String { get }

    /// Returns whether a value satisfies the check.
    func isFulfilled(by value: BSON) -> Bool

    /// Returns the violations by a value. A keyword for members or items also returns the violations by these.
    func violations(in value: BSON, at path: [String]) -> [JSONSchema.Violation]
}

extension SchemaCheck {
    func violations(in value: BSON, at path: [String]) -> [JSONSchema.Violation] {
        isFulfilled(by: value) ? [] : [JSONSchema.Violation(path: path.joined(separator: "."), keyword: keyword)]
    }
}

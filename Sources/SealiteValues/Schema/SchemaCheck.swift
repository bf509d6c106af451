/// The check of a keyword, which may include related keywords.
protocol SchemaCheck: Sendable {
    /// The keyword that is named in violations.
    var keyword: String { get }

    /// Returns whether a value satisfies the check.
    func isFulfilled(by value: BSON) -> Bool

    /// Returns the violations by a value; a keyword for members or items also returns those in them.
    func violations(in value: BSON, at path: [String]) -> [JSONSchema.Violation]
}

extension SchemaCheck {
    func violations(in value: BSON, at path: [String]) -> [JSONSchema.Violation] {
        isFulfilled(by: value) ? [] : [JSONSchema.Violation(path: path.joined(separator: "."), keyword: keyword)]
    }
}

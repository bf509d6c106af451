import SealiteModel

extension ToolError {
    /// Creates an error for a schema, or for documents that don't conform to one.
    init(_ error: SchemaError) {
        switch error {
        case .unfit(let type, let violations):
            self.init(
                .failed, code: "unfit-document",
                "the document doesn't fit the schema of \"\(type)\": "
                    + violations.map(\.description).joined(separator: ", "))
            details = [("type", .text(type)), ("violations", .array(violations.map(\.json)))]
        case .damagedSchema: self.init(.damaged, code: "damaged-schema", Self.line(error))
        case .unknownType: self.init(.noInput, code: "no-such-type", Self.line(error))
        case .migrationRequired(let changes), .additiveOnly(let changes), .readOnlyMismatch(let changes):
            let isLocal = if case .migrationRequired = error { true } else { false }
            self.init(
                .failed, code: "migration-required", Self.line(error),
                hint: isLocal
                    ? "'sealite model migrate' makes the changes that need no function, with --rename for renamed properties; other changes need an application's migration function"
                    : nil)
            details = [("changes", .array(changes.map { .text($0.description) }))]
        case .missingDefault:
            self.init(
                .failed, code: "migration-failed", Self.line(error),
                hint: "give these properties a \"default\" in the schema, or add the missing values to the documents")
        case .invalidSchema, .embeddedType: self.init(.usage, code: "invalid-schema", Self.line(error))
        default: self.init(.failed, code: "migration-failed", Self.line(error))
        }
    }

    /// Returns an error for the issues of schemas from files.
    ///
    /// - Parameters:
    ///   - issues: the issues, warnings included.
    ///   - file: returns the file of an issue; nil if it isn't known.
    /// - Returns: the error.
    static func invalidSchema(_ issues: [SchemaIssue], in file: (SchemaIssue) -> String? = { _ in nil }) -> ToolError {
        let lines = issues.map { issue in
            let weight = issue.severity == .warning ? "warning: " : ""
            return weight + (file(issue).map { "\($0): " } ?? "") + issue.message
        }
        let isOne = lines.count == 1
        let count = issues.count { $0.severity == .error }
        var error = ToolError(
            .usage, code: "invalid-schema",
            isOne ? lines[0] : "\(count) error\(count == 1 ? "" : "s") in the schemas of documents",
            hint: "the schemas are JSON Schema in the dialect of Atlas App Services: Documentation/Models.md, section 6"
        )
        if !isOne { error.remarks = lines }
        error.details = [
            (
                "issues",
                .array(
                    issues.map {
                        .object([
                            ("kind", .text($0.kind.rawValue)), ("severity", .text($0.severity.rawValue)),
                            ("title", .text($0.title)), ("path", .text($0.path)), ("reason", .text($0.reason)),
                        ])
                    })
            )
        ]
        return error
    }

    /// Returns the description on one line.
    private static func line(_ error: SchemaError) -> String {
        error.reason.split(separator: "\n").map { $0.hasPrefix("- ") ? String($0.dropFirst(2)) : String($0) }
            .joined(separator: " ")
    }
}

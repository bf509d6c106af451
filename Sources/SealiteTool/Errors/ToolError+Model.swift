import SealiteModel

extension ToolError {
    /// An error about a schema, or about documents that don't fit one.
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
            self.init(
                .failed, code: "migration-required", Self.line(error),
                hint:
                    "'sealite model migrate' makes what needs no function, with --rename for renamed properties; the rest needs an application's migration function"
            )
            details = [("changes", .array(changes.map { .text($0.description) }))]
        case .invalidSchema, .embeddedType: self.init(.failed, code: "invalid-schema", Self.line(error))
        default: self.init(.failed, code: "migration-failed", Self.line(error))
        }
    }

    /// Issues of a schema from a file.
    static func invalidSchema(_ issues: [SchemaIssue], in file: String? = nil) -> ToolError {
        let place = file.map { "\($0): " } ?? ""
        var error = ToolError(
            .failed, code: "invalid-schema", place + issues.map(\.description).joined(separator: "; "),
            hint: "the dialect is that of App Services: Documentation/Models.md, section 6")
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

    /// The description in one line.
    private static func line(_ error: SchemaError) -> String {
        error.description.split(separator: "\n").map { $0.hasPrefix("- ") ? String($0.dropFirst(2)) : String($0) }
            .joined(separator: " ")
    }
}

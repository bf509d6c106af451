// The next step after an error that prevents a database from being opened with a schema.
extension SchemaError {
    /// The next step for the application's developer; nil if none is known.
    public var hint: String? {
        switch self {
        case .migrationRequired(let changes): Self.migrating(changes)
        case .versionTooLow(let stored, _): "raise `version` of ModelConfiguration to \(stored) or more"
        case .versionMismatch(let stored, let given) where given > stored:
            "open the database for reading and writing first, which migrates it to version \(given)"
        case .versionMismatch(let stored, _): "raise `version` of ModelConfiguration to \(stored)"
        case .additiveOnly:
            "keep these members as they were, since other devices have the former type; declare a changed one under another name"
        case .readOnlyMismatch: "open the database for reading and writing first, which migrates it"
        case .missingDefault:
            "declare a default for each, as in .property(\"age\", default: 0), or set the values in a migration function"
        default: nil
        }
    }

    /// Returns the step after changes that need a migration: a higher version, defaults for properties that become
    /// required or are added as such, and a function for what neither a default nor an earlier name can supply.
    private static func migrating(_ changes: [SchemaChange]) -> String {
        var steps = ["raise `version` of ModelConfiguration"]
        let required = changes.lazy.compactMap(\.newlyRequired).first
        if let required {
            steps.append(
                "declare the default that documents without the property get, as in"
                    + " .property(\"\(required.name)\", default: \(required.type.exampleOfDefault))")
        }
        if changes.contains(where: \.mayNeedFunction) {
            steps.append(
                "keep a renamed property's values with renamedFrom:, and convert other values in a migration function")
        }
        return steps.joined(separator: "; ")
    }
}

extension SchemaChange {
    /// The property that documents must have after the change, although they may lack it before, and that has no
    /// declared default; nil if there is none. An added one gets the empty value of its type, if that has one.
    fileprivate var newlyRequired: Property? {
        switch self {
        case .addProperty(_, let property), .makeRequired(_, let property):
            property.isRequired && property.defaultValue == nil ? property : nil
        default: nil
        }
    }

    /// A Boolean value that says whether values may be lost or unreadable without a migration function.
    fileprivate var mayNeedFunction: Bool {
        switch self {
        case .removeProperty, .changeType, .changePrimaryKey, .changeEmbedding: true
        default: false
        }
    }
}

extension PropertyType {
    /// A default of the type, as Swift's source text.
    fileprivate var exampleOfDefault: String {
        switch self {
        case .bool: "false"
        case .int, .long: "0"
        case .double: "0.0"
        case .string: "\"\""
        default: "…"
        }
    }
}

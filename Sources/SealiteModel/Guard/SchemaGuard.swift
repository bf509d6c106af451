package import SealiteDatabase
internal import SealiteJSON
internal import SealiteValues
internal import Synchronization

/// Validates documents of collections with a stored schema when they are saved, through any API
/// (Documentation/Models.md §6).
///
/// The schemas are read from the database in each transaction: a schema that another process stores applies from the
/// next transaction on.
package final class SchemaGuard: DocumentGuard {
    /// The rules that were compiled from a collection's stored schema, with the text of the schema.
    private struct Known {
        let definition: String
        let rules: DocumentRules
    }

    private let declared: Schema
    private let onWarning: (@Sendable (SchemaWarning) -> Void)?
    private let known = Mutex<[Int: Known]>([:])

    init(declared: Schema, onWarning: (@Sendable (SchemaWarning) -> Void)?) {
        (self.declared, self.onWarning) = (declared, onWarning)
    }

    /// The name under which the guard is installed in a database.
    private static let name = "schemas"

    /// Installs the guard in a database.
    ///
    /// - Parameters:
    ///   - database: the database.
    ///   - declared: the types that the application declares; members that a type's stored schema requires, and that
    ///     the declared type lacks or doesn't require, are added to documents when they are saved. A tool declares
    ///     none.
    ///   - onWarning: called for a document that is saved although it doesn't conform, on the thread that saves it,
    ///     before its transaction is committed.
    package static func install(
        in database: Database, declared: Schema = Schema(), onWarning: (@Sendable (SchemaWarning) -> Void)? = nil
    ) {
        database.install(SchemaGuard(declared: declared, onWarning: onWarning), named: name)
    }

    /// Returns the check for a collection's documents; nil if the collection has no schema.
    ///
    /// - Throws: `SchemaError.damagedSchema` for a stored schema that can't be read; then no document is saved.
    package func check(of collection: Collection) throws -> (any DocumentSaveCheck)? {
        guard let (title, definition) = try Self.definition(of: collection) else { return nil }
        let found = known.withLock { $0[collection.number] }
        if let found, found.definition == definition { return check(found.rules) }
        guard let stored = try SchemaCatalogue(collection.database).storedSchema(title) else { return nil }
        let rules = try DocumentRules(stored, declared: declared[title])
        known.withLock { $0[collection.number] = Known(definition: definition, rules: rules) }
        return check(rules)
    }

    private func check(_ rules: DocumentRules) -> Check { Check(rules: rules, onWarning: onWarning) }

    /// Returns the title and the text of the collection's stored schema; nil if the collection has none.
    private static func definition(of collection: Collection) throws -> (title: String, definition: String)? {
        var found: (String, String)?
        try collection.database.readRows(
            "SELECT title, definition FROM schemas WHERE collection = ?1 ORDER BY number LIMIT 1",
            bind: { $0.bind(Int64(collection.number), at: 1) }
        ) { found = ($0.text(at: 0), $0.text(at: 1)) }
        return found
    }

    /// The check for one collection's documents.
    private struct Check: DocumentSaveCheck {
        let rules: DocumentRules
        let onWarning: (@Sendable (SchemaWarning) -> Void)?

        func check(_ save: inout DocumentSave) throws {
            warn(of: save, try rules.check(&save))
        }

        func note(_ save: DocumentSave) { warn(of: save, (try? rules.violations(in: save)) ?? []) }

        private func warn(of save: DocumentSave, _ violations: [SchemaViolation]) {
            guard !violations.isEmpty, let onWarning else { return }
            onWarning(
                SchemaWarning(
                    type: rules.validator.type.name, collection: save.collection.fullName, documentID: save.id,
                    violations: violations))
        }
    }
}

/// The rules for saving documents of one collection: a stored schema with its policy, compiled.
struct DocumentRules: Sendable {
    /// A required member that is added to documents without it when they are saved.
    private struct Filler: Sendable {
        let name: String
        /// The member's value in its stored form.
        let value: [UInt8]
        /// A Boolean value that says whether only new documents get the member.
        let isForNewDocuments: Bool
    }

    let validator: DocumentValidator
    let policy: SchemaPolicy
    private let fillers: [Filler]

    /// Creates the rules of a stored schema.
    ///
    /// - Parameters:
    ///   - stored: the stored schema.
    ///   - declared: the type as the application declares it; nil if the application doesn't declare it. Members that
    ///     the stored type requires, and that the declared type lacks or doesn't require, are added to documents when
    ///     they are saved.
    /// - Throws: `SchemaError.invalidSchema` if constraints or defaults of the stored schema are invalid.
    init(_ stored: StoredSchema, declared: ObjectSchema?) throws(SchemaError) {
        let type = stored.object
        policy = stored.policy
        validator = try DocumentValidator(type, in: stored.schema, nullTypeValidation: policy.nullTypeValidation)
        var fillers: [Filler] = []
        for property in type.removed where property.isRequired && type[property.name] == nil {
            fillers.append(try Self.filler(property, of: type, isForNewDocuments: true))
        }
        if let declared {
            for property in type.properties
            where property.isRequired && property.name != type.primaryKey
                && !(declared[property.name]?.isRequired ?? false)
            {
                fillers.append(try Self.filler(property, of: type, isForNewDocuments: false))
            }
        }
        self.fillers = fillers
    }

    private static func filler(
        _ property: Property, of type: ObjectSchema, isForNewDocuments: Bool
    ) throws(SchemaError) -> Filler {
        guard let value = try? (property.initialValue ?? .null).stored() else {
            throw .invalidSchema(["The default of '\(type.name).\(property.name)' can't be stored."])
        }
        return Filler(name: property.name, value: value, isForNewDocuments: isForNewDocuments)
    }

    // MARK: - Saves

    /// Adds the required members that the application doesn't declare, and validates the document.
    ///
    /// - Returns: the violations of a document that is saved nevertheless, for a warning; empty if there are none.
    /// - Throws: `SchemaError.unfit` for a document that isn't saved.
    func check(_ save: inout DocumentSave) throws -> [SchemaViolation] {
        try fill(&save)
        let violations = try violations(in: save)
        guard violations.isEmpty || policy.action == .warn else {
            throw SchemaError.unfit(type: validator.type.name, violations: violations)
        }
        return violations
    }

    /// Returns the violations of a document; empty if it conforms, or if the policy's level doesn't require its
    /// validation.
    ///
    /// - Throws: errors from reading the stored document.
    func violations(in save: DocumentSave) throws -> [SchemaViolation] {
        guard policy.level != .off else { return [] }
        let violations = validator.violations(inBody: save.body, id: save.id)
        if violations.isEmpty { return [] }
        if policy.level == .moderate, let old = try save.oldBody(), !validator.fits(old, id: save.id) { return [] }
        return violations
    }

    private func fill(_ save: inout DocumentSave) throws {
        for filler in fillers where JSONBEdit.find([.member(filler.name)], in: save.body) == nil {
            if filler.isForNewDocuments, try save.oldBody() != nil { continue }
            if let filled = JSONBEdit.set(filler.value, at: [.member(filler.name)], in: save.body) {
                save.body = filled
            }
        }
    }
}

extension SchemaError: DocumentRefusal {
    /// The error as one line, with at most five of a document's violations.
    package var refusal: String {
        guard case .unfit(let type, let violations) = self else {
            return reason.split(separator: "\n").joined(separator: " ")
        }
        let shown = violations.prefix(5).map(\.description) + (violations.count > 5 ? ["…"] : [])
        return "it doesn't fit the schema of type '\(type)': \(shown.joined(separator: ", "))"
    }
}

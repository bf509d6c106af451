package import SealiteDatabase
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

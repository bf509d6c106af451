import SealiteDatabase
import SealiteJSON
import SealiteValues
import Synchronization
import Testing

@testable import SealiteModel

/// A database that is opened with schemas made by hand.
struct MigrationStage {
    let fixture: StoreFixture
    var database: Database { fixture.database }

    init() throws { fixture = try StoreFixture() }

    /// The settings of an opening.
    struct Settings {
        var version: UInt64 = 0
        var mode = ModelConfiguration.Mode.local
        var resets = false
        var progress: (@Sendable (MigrationProgress) -> Bool)?
    }

    /// Opens the database with a schema.
    @discardableResult
    func open(
        _ schema: Schema, _ settings: Settings = Settings(), _ function: ModelConfiguration.MigrationFunction? = nil
    ) throws -> [String: Collection] {
        var configuration = ModelConfiguration(
            version: settings.version, types: [], mode: settings.mode, resetIfMigrationNeeded: settings.resets,
            migration: function)
        configuration.progress = settings.progress
        let names = schema.objects.map { ($0.name, QualifiedName(scope: "_default", name: $0.name)) }
        let places = Dictionary(names) { first, _ in first }
        return try SchemaOpening(database, schema, places: places, configuration).run()
    }

    /// Opens the database with a schema of a version.
    @discardableResult
    func open(
        _ schema: Schema, version: UInt64, _ function: ModelConfiguration.MigrationFunction? = nil
    ) throws -> [String: Collection] { try open(schema, Settings(version: version), function) }

    /// The greatest stored version; nil where no schema is stored.
    func storedVersion() throws -> UInt64? {
        try SchemaCatalogue(database).storedSchemas().map(\.version).max()
    }

    /// The stored type of a name.
    func stored(_ title: String) throws -> ObjectSchema? { try SchemaCatalogue(database).storedSchema(title)?.object }

    // MARK: - Documents

    func collection(_ name: String) throws -> Collection { try database.createCollection(name: name) }

    /// Stores a document whose `_id` becomes its ID.
    func put(_ document: MongoDocument, in name: String) throws {
        var body = document
        body["_id"] = nil
        let id = try DocumentKey.text(of: document["_id"] ?? .null)
        let stored = MutableDocument(id: id)
        stored.setEncoded(try body.stored())
        try collection(name).save(document: stored)
    }

    /// Stores documents in one transaction.
    func put(_ documents: [MongoDocument], in name: String) throws {
        try database.write { _ in for document in documents { try put(document, in: name) } }
    }

    /// The documents of a collection in the order of their IDs, the ID first among the members, none where there is no such collection.
    func documents(_ name: String) throws -> [MongoDocument] {
        guard let collection = try database.collection(name: name) else { return [] }
        return try collection.documents(in: DocumentRange(), limit: 100_000).map { document in
            var members = [MongoDocument.Member("_id", DocumentKey.value(of: document.id))]
            members += try #require(MongoDocument(stored: document.body)).members
            return MongoDocument(members)
        }
    }
}

/// A value that closures change.
final class Box<Content: Sendable>: Sendable {
    private let content: Mutex<Content>
    init(_ content: Content) { self.content = Mutex(content) }
    var value: Content { content.withLock { $0 } }
    func change(_ body: (inout Content) -> Void) { content.withLock { body(&$0) } }
}

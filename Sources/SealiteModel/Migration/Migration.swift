internal import SealiteDatabase
public import SealiteValues

/// A migration in progress, which is passed to the function of a ``ModelConfiguration`` (Documentation/Models.md §4).
///
/// ```swift
/// ModelConfiguration(version: 2, types: [Person.self]) { migration in
///     if migration.oldVersion < 2 {
///         try migration.enumerate("Person") { old, new in
///             guard let old else { return }
///             try new?.set("fullName", "\(old.string("firstName") ?? "") \(old.string("lastName") ?? "")")
///         }
///     }
/// }
/// ```
/// All changes are one transaction: an error leaves the database unchanged. The migration may be used only while the
/// function runs, on the thread that calls it.
public struct Migration: ~Copyable {
    private let work: MigrationWork

    init(_ work: MigrationWork) { self.work = work }

    /// The schema version that the database has before the migration.
    public var oldVersion: UInt64 { work.oldVersion }
    /// The schema version that the database has after the migration.
    public var newVersion: UInt64 { work.newVersion }
    /// The stored types of collections that aren't synced, including types that are no longer declared, and the types
    /// that are embedded in them.
    public var oldSchema: Schema { work.oldSchema }
    /// The types that the application declares for collections that aren't synced, and the types that are embedded in
    /// them.
    public var newSchema: Schema { work.newSchema }

    /// Calls `body` with each object of a type, in the order in which the documents were created.
    ///
    /// `old` is the object before the migration, nil for a new type. `new` is the object after it: with renamed
    /// properties, with added properties filled in and without removed ones. Values that are set in it are saved;
    /// setting it to nil deletes the object. It is nil for a type that is no longer declared. Deleted objects aren't
    /// enumerated; objects that this migration has created are enumerated only if their type is new.
    ///
    /// - Throws: `SchemaError.unknownType`, `SchemaError.embeddedType`, `SchemaError.migrationNotAllowed` for a synced
    ///   type, and the errors of `body`.
    public func enumerate(
        _ type: String, _ body: (_ old: MigrationObject?, _ new: inout MigrationObject?) throws -> Void
    ) throws { try work.enumerate(type, body) }

    /// Creates an object.
    ///
    /// - Parameters:
    ///   - type: the name of its type, one of ``newSchema``.
    ///   - properties: the values of properties, including the primary key, or `_id` for a type without one. Other
    ///     required properties get their default, or the type's empty value. An ID that isn't given is generated if the
    ///     primary key is an `ObjectID` or a UUID, or if the type has no primary key.
    /// - Returns: the object's ID.
    /// - Throws: `SchemaError.duplicatePrimaryKey` if an object has the ID, `SchemaError.invalidPrimaryKey` if no ID is
    ///   given and none can be generated, `SchemaError.invalidPropertyName`, `SchemaError.invalidValue`,
    ///   `SchemaError.unknownType` for a type that isn't declared, `SchemaError.embeddedType`,
    ///   `SchemaError.migrationNotAllowed` for a synced type.
    @discardableResult
    public func create(_ type: String, _ properties: MongoDocument = [:]) throws -> BSON {
        try work.create(type, properties)
    }

    /// Deletes the object with an ID.
    ///
    /// - Returns: false if no object has the ID.
    /// - Throws: `SchemaError.unknownType`, `SchemaError.embeddedType`, `SchemaError.migrationNotAllowed` for a synced
    ///   type.
    @discardableResult
    public func delete(_ type: String, id: BSON) throws -> Bool { try work.delete(type, id: id) }

    /// Deletes all objects of a type; for a type that is no longer declared, also its schema and its collection, unless
    /// that is the default collection.
    ///
    /// - Returns: false if the type is neither stored nor declared, or if it is embedded.
    /// - Throws: `SchemaError.migrationNotAllowed` for a synced type.
    @discardableResult
    public func deleteData(of type: String) throws -> Bool { try work.deleteData(of: type) }

    /// Renames a property, whose values are kept. Several renames may be chained; all of them must precede the first
    /// enumeration.
    ///
    /// - Throws: `SchemaError.migrationNotAllowed` for a synced type; `SchemaError.rename` if ``oldSchema`` has no such
    ///   type or property, if the type is no longer declared, if the new type still has a property with the old name,
    ///   if the stored type has another property with the new name, if the new property has another type or becomes
    ///   required, or after an enumeration. A new name that the new type doesn't have is an error when the first
    ///   enumeration begins, or when the migration ends.
    public func rename(_ type: String, _ from: String, to name: String) throws {
        try work.rename(type, from, to: name)
    }
}

/// Reports the progress of a migration to the application, which may cancel it.
struct MigrationReport {
    /// The number of documents between two reports.
    private static let interval: UInt64 = 1_000

    private let total: UInt64
    private let tell: @Sendable (MigrationProgress) -> Bool
    private var done: UInt64 = 0

    /// Creates the report of a migration.
    ///
    /// - Parameters:
    ///   - total: the number of documents.
    ///   - tell: called before the first document is processed, after every 1,000 documents, and at the end; returning
    ///     false cancels the migration.
    init(total: UInt64, _ tell: @escaping @Sendable (MigrationProgress) -> Bool) {
        (self.total, self.tell) = (total, tell)
    }

    /// Reports that no document has been processed yet.
    ///
    /// - Throws: `cancelled` if the application cancels the migration.
    func begin() throws(DatabaseError) { try report() }

    /// Counts a processed document, and reports the progress after every 1,000 documents.
    ///
    /// - Throws: `cancelled` if the application cancels the migration.
    mutating func count() throws(DatabaseError) {
        done += 1
        if done.isMultiple(of: Self.interval) { try report() }
    }

    /// Reports that all documents have been processed, unless the last report was made after the last document.
    ///
    /// - Throws: `cancelled` if the application cancels the migration.
    func finish() throws(DatabaseError) {
        if !done.isMultiple(of: Self.interval) { try report() }
    }

    private func report() throws(DatabaseError) {
        guard tell(MigrationProgress(rowCount: done, totalRowCount: max(total, done))) else {
            throw DatabaseError(.cancelled, "the migration was cancelled; the database is unchanged")
        }
    }
}

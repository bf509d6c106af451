public import SealiteValues

/// A migration that is under way: what the function of a ``ModelConfiguration`` gets (Documentation/Models.md §4).
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
/// All that it does is one transaction: what it throws leaves the database as it was. It may be asked only on the thread that calls the function, as long
/// as that runs.
public struct Migration: ~Copyable {
    private let work: MigrationWork

    init(_ work: MigrationWork) { self.work = work }

    /// The version that the database has.
    public var oldVersion: UInt64 { work.oldVersion }
    /// The version that it will have.
    public var newVersion: UInt64 { work.newVersion }
    /// The stored types, those that aren't declared any more among them.
    public var oldSchema: Schema { work.oldSchema }
    /// The declared types.
    public var newSchema: Schema { work.newSchema }

    /// Calls `body` with each object of a type, in the order in which their documents were made.
    ///
    /// `old` is the object as it was before the migration, nil for a type that is new. `new` is the object as it will be: renamed, with added properties filled in
    /// and removed ones gone; what is set in it is saved, and nil deletes it. It is nil for a type that isn't declared any more. Objects that were deleted aren't enumerated, nor
    /// those that this migration has created, unless their type is new.
    ///
    /// - Throws: `SchemaError.unknownType`, `SchemaError.embeddedType`, and what `body` throws.
    public func enumerate(
        _ type: String, _ body: (_ old: MigrationObject?, _ new: inout MigrationObject?) throws -> Void
    ) throws { try work.enumerate(type, body) }

    /// Creates an object.
    ///
    /// - Parameters:
    ///   - type: the name of its type, one of ``newSchema``.
    ///   - properties: the values of properties, the primary key among them, or `_id` for a type without one. Required properties that aren't named get their default, or
    ///     the type's empty value; a primary key that is an `ObjectID` or a UUID is made.
    /// - Returns: the object's ID.
    /// - Throws: `SchemaError.duplicatePrimaryKey` where there is an object of the ID, `SchemaError.invalidPropertyName`, `SchemaError.invalidValue`.
    @discardableResult
    public func create(_ type: String, _ properties: MongoDocument = [:]) throws -> BSON {
        try work.create(type, properties)
    }

    /// Deletes an object.
    ///
    /// - Returns: false where there is none of the ID.
    @discardableResult
    public func delete(_ type: String, id: BSON) throws -> Bool { try work.delete(type, id: id) }

    /// Deletes all objects of a type; of one that isn't declared any more also its schema and its collection.
    ///
    /// - Returns: false where there is no such type.
    @discardableResult
    public func deleteData(of type: String) throws -> Bool { try work.deleteData(of: type) }

    /// Renames a property, whose values stay. Several renames may follow each other; all of them come before the first enumeration.
    ///
    /// - Throws: `SchemaError.rename`.
    public func rename(_ type: String, _ from: String, to name: String) throws {
        try work.rename(type, from, to: name)
    }
}

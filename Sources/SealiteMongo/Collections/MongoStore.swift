public import SealiteDatabase
public import SealiteValues

/// A database with MongoDB's calls: its collections, filters, updates and aggregation.
///
/// ```swift
/// let store = MongoStore(database)
/// let people = try store.collection("people", as: Person.self)
/// try await people.insertOne(Person(name: "Ada", age: 36))
/// for try await person in people.find(["age": ["$gte": 21]], options: FindOptions(sort: ["name": 1])) {
///     print(person.name)
/// }
/// ```
public struct MongoStore: Sendable {
    /// The database whose collections the store accesses.
    public let database: Database

    /// Creates a store of a database.
    public init(_ database: Database) {
        IndexGuards.filtersAreKnown
        self.database = database
    }

    /// Returns a collection of documents of a type, which is created if it doesn't exist.
    ///
    /// - Parameters:
    ///   - name: the collection's name.
    ///   - scope: the collection's scope.
    ///   - type: the type of the documents; `MongoDocument` for documents of any shape.
    ///   - form: the stored form of dates, bytes and UUIDs in values of the type.
    /// - Returns: the collection.
    /// - Throws: `DatabaseError` with `badName` for an invalid name, and for errors of the storage.
    public func collection<T: Codable & Sendable>(
        _ name: String, scope: String = Database.defaultScopeName, as type: T.Type = MongoDocument.self,
        form: ValueForm = .typed
    ) throws -> MongoCollection<T> {
        // The collection is looked up first, since creating one waits for other writers.
        let existing = try database.collection(name: name, scope: scope)
        return MongoCollection(try existing ?? database.createCollection(name: name, scope: scope), form: form)
    }

    /// Runs a command on a collection and returns its reply: `find`, `count`, `distinct`, `insert`, `update`, `delete`
    /// or `findAndModify`, in the form of MongoDB's wire protocol. A command that writes is one transaction; it creates
    /// the collection if it doesn't exist. For a command that only reads, such a collection has no documents.
    ///
    /// - Throws: `MongoError` for an invalid command, and for errors that the reply of the command has no member for;
    ///   `DatabaseError` for errors of the storage.
    public func runCommand(
        _ command: MongoDocument, scope: String = Database.defaultScopeName
    ) async throws -> MongoDocument {
        let parsed = try Command(command)
        if let read = parsed.reading {
            return try await database.read {
                let existing = try database.collection(name: parsed.collection, scope: scope)
                guard let existing else { return try read(MissingCollection()) }
                return try read(CollectionStore(existing))
            }
        }
        let collection: MongoCollection<MongoDocument> = try collection(parsed.collection, scope: scope)
        return try await collection.write { store in try parsed.run(store) }
    }
}

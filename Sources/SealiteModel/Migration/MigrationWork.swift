internal import SealiteDatabase
internal import SealiteJSON
internal import SealiteValues

/// The work of a migration in progress, in the transaction of the calling thread.
final class MigrationWork {
    let database: Database
    let oldVersion: UInt64
    let newVersion: UInt64
    let oldSchema: Schema
    let newSchema: Schema
    private let types: [String: TypeMigration]
    private var renames: [String: PropertyRenames] = [:]
    /// The changes of bodies, derived when they are first needed; no property can be renamed afterwards.
    private var plan: BodyPlans?
    private var progress: MigrationReport

    /// Creates a migration. `types` are the types that have documents of their own in the old schema, in the new one, or
    /// in both.
    init(
        _ database: Database, versions: (old: UInt64, new: UInt64), schemas: (old: Schema, new: Schema),
        types: [TypeMigration], progress: MigrationReport
    ) {
        self.database = database
        (oldVersion, newVersion) = versions
        (oldSchema, newSchema) = schemas
        self.types = Dictionary(types.map { ($0.name, $0) }) { first, _ in first }
        self.progress = progress
        for object in newSchema.objects {
            guard let old = oldSchema[object.name], old.isEmbedded == object.isEmbedded else { continue }
            renames[object.name] = PropertyRenames(old, object)
        }
    }

    // MARK: - Calls of the migration function

    func rename(_ type: String, _ from: String, to name: String) throws {
        // The schemas have no synced types, so this comes before the question whether the type exists.
        if let state = types[type] { try requireLocal(state) }
        guard oldSchema[type] != nil else {
            throw SchemaError.rename("No property of type '\(type)' can be renamed: the database has no such type.")
        }
        guard renames[type] != nil else {
            throw SchemaError.rename(
                "No property of type '\(type)' can be renamed: the type is no longer declared.")
        }
        guard plan == nil else {
            throw SchemaError.rename(
                "Property '\(type).\(from)' can't be renamed to '\(name)': rename before the first enumeration.")
        }
        try renames[type]?.rename(from, to: name)
    }

    func enumerate(
        _ name: String, _ body: (MigrationObject?, inout MigrationObject?) throws -> Void
    ) throws {
        let type = try type(name)
        guard let collection = type.collection else { return }
        let bodies = try currentPlan()
        var earlier = EarlierBodies(collection, through: type.start.number)
        // Objects that the function created during this migration are skipped, unless their type is new.
        let last = type.old == nil ? try collection.lastPlaces().number : type.start.number
        try type.forEachDocument(through: last) { document in
            var oldBody: [UInt8]?
            if type.old != nil {
                oldBody = type.isTouched(document) ? try earlier.body(document.number) : document.body
            }
            try visit(document, oldBody, type, bodies, body)
            try progress.count()
        }
        type.isWritten = type.old != nil && type.new != nil
        // Makes an enclosing enumeration read again the documents that it has read ahead.
        type.changeCount += 1
    }

    func create(_ name: String, _ properties: MongoDocument) throws -> BSON {
        let type = try type(name)
        guard let object = type.new, let collection = type.collection else { throw SchemaError.unknownType(name) }
        let (id, body) = try NewObject(object, in: newSchema).stored(properties)
        guard try collection.storedDocument(id: id) == nil else {
            throw SchemaError.duplicatePrimaryKey(type: name)
        }
        let document = MutableDocument(id: id)
        document.setEncoded(body)
        try collection.save(document: document)
        type.changeCount += 1
        return DocumentKey.value(of: id)
    }

    func delete(_ name: String, id: BSON) throws -> Bool {
        let type = try type(name)
        for text in (try? DocumentKey.candidates(for: id)) ?? [] {
            guard let document = try type.collection?.storedDocument(id: text) else { continue }
            try type.collection?.remove(document)
            type.changeCount += 1
            return true
        }
        return false
    }

    func deleteData(of name: String) throws -> Bool {
        guard types[name] != nil else { return false }
        let type = try type(name)
        try type.removeDocuments { try progress.count() }
        if type.new == nil {
            try SchemaCatalogue(database).remove(name)
            try type.removeCollection()
        }
        return true
    }

    /// Returns the documents of a type that the migration function may change.
    ///
    /// - Throws: `SchemaError` if the type is unknown, embedded or synced.
    private func type(_ name: String) throws -> TypeMigration {
        if let type = types[name] {
            try requireLocal(type)
            return type
        }
        guard let object = newSchema[name] ?? oldSchema[name], object.isEmbedded else {
            throw SchemaError.unknownType(name)
        }
        throw SchemaError.embeddedType(name)
    }

    private func requireLocal(_ type: TypeMigration) throws {
        if type.isReplicated { throw SchemaError.migrationNotAllowed }
    }

    // MARK: - Documents

    private func currentPlan() throws -> BodyPlans {
        if let plan { return plan }
        let names = try renames.mapValues { try $0.names() }
        let made = try BodyPlans(oldSchema, newSchema, renames: names)
        for type in types.values { type.settle(names[type.name] ?? [:]) }
        plan = made
        return made
    }

    private func visit(
        _ document: StoredDocument, _ oldBody: [UInt8]?, _ type: TypeMigration, _ bodies: BodyPlans,
        _ body: (MigrationObject?, inout MigrationObject?) throws -> Void
    ) throws {
        let old = type.old.flatMap { object in
            oldBody.map { MigrationObject(document.id, $0, object, in: oldSchema, side: .old) }
        }
        let prepared = try prepared(document, type, bodies)
        var new = type.new.map { object in
            MigrationObject(document.id, prepared, object, in: newSchema, side: .new, isKeyed: !type.movesAll)
        }
        let count = type.changeCount
        try body(old, &new)
        guard type.new != nil, let collection = type.collection else { return }
        var current = document
        if type.changeCount != count {
            guard let again = try collection.storedDocument(id: document.id), again.number == document.number else {
                return
            }
            // If the closure has changed the document through the migration and not through `new`, this change is kept.
            if again.sequence != document.sequence, new?.body == prepared { return }
            current = again
        }
        try write(new, in: current, of: type, collection)
    }

    private func write(
        _ new: MigrationObject?, in document: StoredDocument, of type: TypeMigration, _ collection: Collection
    ) throws {
        guard let new else { return try collection.remove(document) }
        guard new.side == .new, new.documentID == document.id, new.objectSchema.name == type.name else {
            throw SchemaError.invalidConfiguration(
                "The function of an enumeration of type '\(type.name)' replaced an object by another one: it may only set properties of the object, or set it to nil."
            )
        }
        guard new.body != document.body else { return }
        if JSONBEdit.find([.member(MigrationObject.keyName)], in: new.body) != nil { type.hasNewKeys = true }
        try collection.rewrite(document, to: new.body)
    }

    /// Returns a document's body, converted to the new schema.
    private func prepared(_ document: StoredDocument, _ type: TypeMigration, _ bodies: BodyPlans) throws -> [UInt8] {
        guard type.old != nil, type.new != nil, !type.isTouched(document) else { return document.body }
        guard let body = bodies.applied(to: document.body, of: type.name) else {
            throw DatabaseError(
                .corruptData,
                "the document \"\(document.id)\", an object of type '\(type.name)', is damaged and can't be migrated")
        }
        return type.withOldKey(body, id: document.id)
    }

    // MARK: - The end

    /// Migrates the documents that the function didn't enumerate, and gives documents with a changed primary key their
    /// new ID.
    ///
    /// - Throws: `SchemaError.missingDefault` if documents lack required properties, `SchemaError.duplicatePrimaryKey`
    ///   and `SchemaError.invalidPrimaryKey` for a new ID, and errors of the storage.
    func finish() throws {
        let plan = try currentPlan()
        var missing: Set<String> = []
        for object in newSchema.objects {
            guard let type = types[object.name], !type.isReplicated else { continue }
            if type.old != nil { missing.formUnion(try finish(type, plan)) }
            if type.movesAll || type.hasNewKeys { try PrimaryKeyMove(type)?.run { try progress.count() } }
        }
        guard missing.isEmpty else { throw SchemaError.missingDefault(missing.sorted()) }
        try progress.finish()
    }

    /// Migrates the documents of a stored type that the function didn't enumerate.
    ///
    /// - Returns: the required properties that documents lack.
    private func finish(_ type: TypeMigration, _ plan: BodyPlans) throws -> Set<String> {
        if !type.isWritten, plan.changes(type.name) || type.oldKey != nil { try rewrite(type, plan) }
        var missing: Set<String> = []
        guard plan.demands(type.name) else { return missing }
        try type.forEachDocument(through: type.start.number) { document in
            missing.formUnion(plan.missing(in: document.body, of: type.name))
            try progress.count()
        }
        return missing
    }

    private func rewrite(_ type: TypeMigration, _ bodies: BodyPlans) throws {
        try type.forEachDocument(through: type.start.number) { document in
            let body = try prepared(document, type, bodies)
            if body != document.body { try type.collection?.rewrite(document, to: body) }
            try progress.count()
        }
    }
}

/// The bodies that documents had before the current transaction, in the order of the documents' row numbers. Another
/// connection reads them from the last committed state.
struct EarlierBodies: ~Copyable {
    private let collection: Collection
    private let last: Int64
    private var cursor: QueryCursor?
    private var page: [(number: Int64, body: [UInt8])] = []
    private var next = 0
    private static let pageByteCount = 1 << 20
    private static let pageCount = 256

    /// Creates access to the bodies of a collection's documents, up to a row number.
    init(_ collection: Collection, through last: Int64) { (self.collection, self.last) = (collection, last) }

    /// Returns the body that the document with a row number had before the current transaction; nil if no document had
    /// the number. The row numbers must be increasing from call to call.
    mutating func body(_ number: Int64) throws -> [UInt8]? {
        while true {
            while next < page.count {
                if page[next].number == number { return page[next].body }
                if page[next].number > number { return nil }
                next += 1
            }
            guard try read(from: number) else { return nil }
        }
    }

    private mutating func read(from number: Int64) throws -> Bool {
        let cursor = try cursor ?? open(from: number)
        self.cursor = cursor
        page.removeAll(keepingCapacity: true)
        next = 0
        var (found, byteCount) = (page, 0)
        _ = try cursor.fetch { row in
            let body = row.bytes(at: 1) ?? []
            found.append((row.int64(at: 0), body))
            byteCount += body.count
            return found.count >= Self.pageCount || byteCount >= Self.pageByteCount
        }
        page = found
        return !page.isEmpty
    }

    private func open(from number: Int64) throws -> QueryCursor {
        try collection.database.openCursor(
            "SELECT number, body FROM documents_\(collection.number) WHERE number >= ?1 AND number <= ?2 ORDER BY number"
        ) { statement in
            statement.bind(max(number, 1), at: 1)
            statement.bind(last, at: 2)
        }
    }

    deinit { cursor?.end() }
}

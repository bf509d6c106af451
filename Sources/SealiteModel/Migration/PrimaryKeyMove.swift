internal import SealiteDatabase
internal import SealiteJSON
internal import SealiteValues

/// Moves documents of a type at the end of a migration: each gets the ID that corresponds to its primary key.
final class PrimaryKeyMove {
    private let type: TypeMigration
    private let collection: Collection
    private let key: Property
    /// The row number of the last document that may have to be moved: for a new type that of the last one, otherwise
    /// that of the last one from before the migration, since enumerations skip the others.
    private let last: Int64
    /// A Boolean value that says whether documents have temporary IDs with ``waitingPrefix``, because another document
    /// got their ID before they were moved themselves.
    private var hasWaiting = false

    /// The prefix of the temporary IDs of documents that are still to be moved. No primary key starts with it.
    private static let waitingPrefix = "$waiting:"

    init?(_ type: TypeMigration) throws {
        guard let collection = type.collection, let object = type.new, let name = object.primaryKey,
            let key = object[name]
        else { return nil }
        (self.type, self.collection, self.key) = (type, collection, key)
        last = type.old == nil ? try collection.lastPlaces().number : type.start.number
    }

    /// Moves all documents. `didLook` is called for each document.
    ///
    /// - Throws: `SchemaError.duplicatePrimaryKey`, `SchemaError.invalidPrimaryKey`.
    func run(_ didLook: () throws -> Void) throws {
        try type.forEachDocument(through: last) { document in
            try self.move(document, isWaiting: false)
            try didLook()
        }
        guard hasWaiting else { return }
        try type.forEachDocument(after: last, through: try collection.lastPlaces().number) { document in
            if document.id.hasPrefix(Self.waitingPrefix) { try self.move(document, isWaiting: true) }
        }
    }

    private func move(_ document: StoredDocument, isWaiting: Bool) throws {
        guard let id = try newID(document) else { return }
        let body = body(document)
        if id == document.id {
            if body != document.body { try collection.rewrite(document, to: body) }
            return
        }
        if try collection.move(document, to: id, body: body) { return }
        guard !isWaiting, let other = try collection.storedDocument(id: id), other.number > document.number,
            other.number <= last, try newID(other) != nil
        else { throw SchemaError.duplicatePrimaryKey(type: type.name) }
        // The other document hasn't been moved yet, and gets a temporary ID.
        guard try collection.move(other, to: "\(Self.waitingPrefix)\(other.number)", body: other.body),
            try collection.move(document, to: id, body: body)
        else { throw SchemaError.duplicatePrimaryKey(type: type.name) }
        hasWaiting = true
        type.changeCount += 1
    }

    /// Returns the ID that corresponds to a document's primary key; nil for a document that keeps its ID.
    private func newID(_ document: StoredDocument) throws -> String? {
        var value = member(MigrationObject.keyName, of: document)
        if value == nil, type.movesAll { value = member(key.name, of: document) }
        if value == nil, !type.movesAll { return nil }
        guard let value, let fitting = key.type.fitting(value, { _ in nil }),
            let text = try? DocumentKey.text(of: fitting)
        else { throw SchemaError.invalidPrimaryKey(type: type.name) }
        return text
    }

    private func member(_ name: String, of document: StoredDocument) -> BSON? {
        JSONBEdit.find([.member(name)], in: document.body).flatMap { BSON(stored: $0, in: document.body.span) }
    }

    /// Returns a document's body without the member whose value, the primary key, becomes the document's ID.
    private func body(_ document: StoredDocument) -> [UInt8] {
        var body = document.body
        for name in type.movesAll ? [MigrationObject.keyName, key.name] : [MigrationObject.keyName] {
            body = JSONBEdit.remove(at: [.member(name)], in: body) ?? body
        }
        return body
    }
}

/// The renames of a type's properties in a migration: those of the migration function, and those that the new type
/// declares.
struct PropertyRenames {
    private let old: ObjectSchema
    private let new: ObjectSchema
    /// The properties of the old type, by the names that they have after the renames so far.
    private var current: [String: Property]

    init(_ old: ObjectSchema, _ new: ObjectSchema) {
        (self.old, self.new) = (old, new)
        current = Dictionary(old.properties.map { ($0.name, $0) }) { first, _ in first }
    }

    /// Renames a property; the new name may be renamed again.
    ///
    /// - Throws: `SchemaError.rename`.
    mutating func rename(_ from: String, to name: String) throws(SchemaError) {
        let place = "Property '\(old.name).\(from)' can't be renamed"
        guard new[from] == nil else {
            throw .rename("\(place) to '\(name)': the new type still has it.")
        }
        guard let property = current[from] else { throw .rename("\(place): the old type hasn't got it.") }
        guard current[name] == nil else {
            throw .rename("\(place) to '\(name)': the old type has a property with this name.")
        }
        if let target = new[name] { try check(property, target, place) }
        current[from] = nil
        current[name] = property
    }

    private func check(_ property: Property, _ target: Property, _ place: String) throws(SchemaError) {
        let reason = "\(place) to '\(target.name)'"
        guard property.type.isStoredAs(target.type) else {
            throw .rename(
                "\(reason): a value of type '\(property.type.name)' isn't stored like one of type '\(target.type.name)'."
            )
        }
        guard property.isRequired || !target.isRequired else {
            throw .rename("\(reason): it is optional, and the new property is required.")
        }
    }

    /// Returns the new names of the renamed properties, by their names in the old type.
    ///
    /// - Throws: `SchemaError.rename` if a property was renamed to one that the new type doesn't have.
    func names() throws(SchemaError) -> [String: String] {
        var names: [String: String] = [:]
        for (name, property) in current where name != property.name {
            guard new[name] != nil else {
                throw .rename("The new type '\(new.name)' has no property '\(name)', to which one was renamed.")
            }
            names[property.name] = name
        }
        for property in new.properties where current[property.name] == nil {
            let alias = property.renamedFrom.first { current[$0] != nil && new[$0] == nil && names[$0] == nil }
            if let alias, let source = current[alias], source.name == alias { names[alias] = property.name }
        }
        return names
    }
}

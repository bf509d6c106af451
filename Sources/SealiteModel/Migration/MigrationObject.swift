internal import Foundation
internal import SealiteDatabase
internal import SealiteJSON
public import SealiteValues

/// An object in a migration, in its state before or after the migration. Values are accessed by the names of
/// properties.
///
/// ```swift
/// try migration.enumerate("Person") { old, new in
///     guard let old else { return }
///     try new?.set("fullName", "\(old.string("firstName") ?? "") \(old.string("lastName") ?? "")")
/// }
/// ```
public struct MigrationObject: Sendable {
    /// The state of an object: before or after the migration.
    enum Side: Sendable { case old, new }

    /// The schema of the object's type in this state.
    public let objectSchema: ObjectSchema
    /// The document's ID, as a value.
    public var id: BSON { DocumentKey.value(of: documentID) }

    let documentID: String
    let side: Side
    /// The schema with the embedded types.
    private let schema: Schema
    /// The members in their stored form. If a new ID was set, the member ``keyName`` has it.
    private(set) var body: [UInt8]
    /// A Boolean value that says whether the document's ID is the value of the primary key in this state; false if the
    /// migration has still to change the ID.
    private let isKeyed: Bool

    /// The name of the member that temporarily contains a new ID. No property has this name.
    static let keyName = "\u{1}key"

    init(
        _ documentID: String, _ body: [UInt8], _ objectSchema: ObjectSchema, in schema: Schema, side: Side,
        isKeyed: Bool = true
    ) {
        (self.documentID, self.body, self.objectSchema) = (documentID, body, objectSchema)
        (self.schema, self.side, self.isKeyed) = (schema, side, isKeyed)
    }

    // MARK: - Reading

    /// The value of a property. An absent property has its declared default; without one, a list, set or dictionary is
    /// empty and any other property is null.
    ///
    /// - Throws: `SchemaError.invalidPropertyName` for a name that the type doesn't have in this state.
    public subscript(_ name: String) -> BSON {
        get throws(SchemaError) {
            let property = try property(name)
            if objectSchema.isKey(name) {
                if let value = member(Self.keyName) { return value }
                if isKeyed { return id }
            }
            if let value = member(name) { return value }
            return property.defaultValue ?? (property.type.isCollection ? property.type.emptyValue : .null)
        }
    }

    /// Returns a property's text, or that of its default if the property is absent; nil if there is none, or if the
    /// value is of another type.
    public func string(_ name: String) throws(SchemaError) -> String? {
        if case .string(let text) = try self[name] { text } else { nil }
    }

    /// Returns a property's integer, or that of its default if the property is absent; nil if there is none, or if the
    /// value is of another type.
    public func integer(_ name: String) throws(SchemaError) -> Int64? {
        switch try self[name] {
        case .int32(let number): Int64(number)
        case .int64(let number): number
        default: nil
        }
    }

    /// Returns a property's integer or double, or that of its default if the property is absent, as a double; nil if
    /// there is none, or if the value is of another type.
    public func double(_ name: String) throws(SchemaError) -> Double? {
        switch try self[name] {
        case .int32(let number): Double(number)
        case .int64(let number): Double(number)
        case .double(let number): number
        default: nil
        }
    }

    /// Returns a property's Boolean, or that of its default if the property is absent; nil if there is none, or if the
    /// value is of another type.
    public func bool(_ name: String) throws(SchemaError) -> Bool? {
        if case .bool(let value) = try self[name] { value } else { nil }
    }

    private func member(_ name: String) -> BSON? {
        JSONBEdit.find([.member(name)], in: body).flatMap { BSON(stored: $0, in: body.span) }
    }

    private func property(_ name: String) throws(SchemaError) -> Property {
        guard let property = objectSchema[name] else {
            throw .invalidPropertyName(type: objectSchema.name, name: name)
        }
        return property
    }

    // MARK: - Writing

    /// Sets a property. Null removes the member of an optional property, which then has its default again; a mixed
    /// property stores null. The primary key's value becomes the document's ID when the migration ends.
    ///
    /// - Throws: `SchemaError.invalidPropertyName` for a name that the type doesn't have; `SchemaError.invalidValue` for
    ///   a value that isn't of the property's type, for null if the property is required or the primary key, and for an
    ///   object from before the migration.
    public mutating func set(_ name: String, _ value: BSON) throws(SchemaError) {
        let property = try property(name)
        let isKey = objectSchema.isKey(name)
        guard side == .new, let bytes = try stored(value, property, isKey: isKey) else {
            throw .invalidValue(type: objectSchema.name, name: name)
        }
        let path: [JSONBStep] = [.member(isKey ? Self.keyName : name)]
        // If the member is absent, nothing needs to be removed.
        let changed =
            bytes.isEmpty ? JSONBEdit.remove(at: path, in: body) ?? body : JSONBEdit.set(bytes, at: path, in: body)
        guard let changed else { throw .invalidValue(type: objectSchema.name, name: name) }
        body = changed
    }

    /// Sets a property to a text.
    public mutating func set(_ name: String, _ value: String) throws(SchemaError) { try set(name, .string(value)) }

    /// Returns a value in its stored form; empty for a null that removes the member, and nil if the value isn't valid
    /// for the property.
    private func stored(_ value: BSON, _ property: Property, isKey: Bool) throws(SchemaError) -> [UInt8]? {
        if value == .null, property.type != .mixed {
            return isKey || property.isRequired ? nil : []
        }
        let objects = schema
        return property.type.fitting(value, { objects[$0] }).flatMap { try? $0.stored() }
    }
}

/// Creates the documents of objects that a migration's function creates.
struct NewObject {
    private let object: ObjectSchema
    private let schema: Schema

    init(_ object: ObjectSchema, in schema: Schema) { (self.object, self.schema) = (object, schema) }

    /// Returns the ID and the body of an object with some properties; other properties get their declared default, or
    /// the empty value of their type.
    ///
    /// - Throws: `SchemaError.invalidPropertyName`, `SchemaError.invalidValue`, `SchemaError.invalidPrimaryKey`.
    func stored(_ properties: MongoDocument) throws -> (id: String, body: [UInt8]) {
        let keyName = object.primaryKey ?? "_id"
        for member in properties where object[member.key] == nil && member.key != keyName {
            throw SchemaError.invalidPropertyName(type: object.name, name: member.key)
        }
        var members = MongoDocument()
        for property in object.properties where !object.isKey(property.name) {
            if let value = try value(properties[property.name], of: property) { members.append(property.name, value) }
        }
        return (try id(properties[keyName]), try members.stored())
    }

    private func value(_ given: BSON?, of property: Property) throws(SchemaError) -> BSON? {
        guard let given, given != .null || property.type == .mixed else { return property.initialValue }
        guard let value = property.type.fitting(given, { schema[$0] }) else {
            throw .invalidValue(type: object.name, name: property.name)
        }
        return value
    }

    private func id(_ given: BSON?) throws -> String {
        let type = object.primaryKey.flatMap { object[$0] }?.type
        let key = try given ?? newKey(type)
        guard let value = type.map({ $0.fitting(key, { _ in nil }) }) ?? key,
            let text = try? DocumentKey.text(of: value)
        else { throw SchemaError.invalidPrimaryKey(type: object.name) }
        return text
    }

    /// Returns a new primary key: an `ObjectID`, a UUID, or for a type without a primary key a UUID as a string.
    ///
    /// - Throws: `SchemaError.invalidPrimaryKey` for other types, whose keys can't be generated.
    private func newKey(_ type: PropertyType?) throws(SchemaError) -> BSON {
        switch type {
        case .objectID: .objectID(ObjectID())
        case .uuid: UUID().keyValue
        case nil: .string(UUID().uuidString.lowercased())
        default: throw .invalidPrimaryKey(type: object.name)
        }
    }
}

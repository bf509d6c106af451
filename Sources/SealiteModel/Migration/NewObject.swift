internal import Foundation
internal import SealiteJSON
internal import SealiteValues

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

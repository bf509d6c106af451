internal import SealiteDatabase
internal import SealiteQuery

/// The indexes of a type's declaration: one value index for each indexed property, named after the property.
struct ModelIndexes {
    private let collection: Collection
    private let properties: [Property]

    /// The prefix of the names of indexes that are created for models.
    private static let prefix = "model_"

    init(_ collection: Collection, _ object: ObjectSchema) {
        self.collection = collection
        properties = object.properties.filter { $0.isIndexed && !object.isKey($0.name) }
    }

    /// Returns whether the collection has exactly the indexes of the declaration. Indexes that weren't created for
    /// models aren't considered.
    func areMade() throws -> Bool { try found() == Set(properties.map { Self.name(of: $0) }) }

    /// Creates the missing indexes, and deletes those that are no longer declared. Indexes that weren't created for
    /// models are kept.
    func make() throws {
        let due = Set(properties.map { Self.name(of: $0) })
        for name in try found().subtracting(due) { try collection.deleteIndex(forName: name) }
        for property in properties {
            try collection.createIndex(
                withName: Self.name(of: property),
                config: ValueIndexConfiguration([Self.quoted(property.name)]))
        }
    }

    private func found() throws -> Set<String> {
        Set(try collection.indexes().filter { $0.hasPrefix(Self.prefix) })
    }

    /// Returns the name of a property's index: the prefix and the property's name, in which quotation marks are
    /// replaced.
    private static func name(of property: Property) -> String {
        prefix + property.name.replacing("%", with: "%25").replacing("\"", with: "%22")
    }

    /// Returns a name as an SQL++ expression.
    private static func quoted(_ name: String) -> String { "`\(name.replacing("`", with: "``"))`" }
}

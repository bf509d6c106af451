internal import SealiteDatabase
internal import SealiteQuery

/// The indexes that a type's declaration asks for: one value index for each property, under a name that says which.
struct ModelIndexes {
    private let collection: Collection
    private let properties: [Property]

    /// The beginning of the names of indexes that models make.
    private static let prefix = "model_"

    init(_ collection: Collection, _ object: ObjectSchema) {
        self.collection = collection
        properties = object.properties.filter { $0.isIndexed && !object.isKey($0.name) }
    }

    /// Returns whether the collection has the indexes, and no other that a model has made.
    func areMade() throws -> Bool { try found() == Set(properties.map { Self.name(of: $0) }) }

    /// Makes and deletes indexes. Those that models didn't make stay.
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

    /// The name of a property's index; a quotation mark can't be in one.
    private static func name(of property: Property) -> String {
        prefix + property.name.replacing("%", with: "%25").replacing("\"", with: "%22")
    }

    /// A name as an expression of SQL++.
    private static func quoted(_ name: String) -> String { "`\(name.replacing("`", with: "``"))`" }
}

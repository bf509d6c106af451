import SealiteValues

@testable import SealiteModel

/// The schemas of realm-migration.json, in Realm's spelling of types.
enum RealmSchema {
    /// The schema of a case's object types; nil where one has a property that only Realm has: inverse links are queries here.
    static func schema(_ documents: [MongoDocument]) -> Schema? {
        var objects: [ObjectSchema] = []
        for document in documents {
            let properties = document.documents("properties").map { property($0, documents) }
            guard !properties.contains(nil) else { return nil }
            objects.append(
                ObjectSchema(
                    document.text("name") ?? "", primaryKey: document.text("primaryKey"),
                    properties: properties.compactMap { $0 }, isEmbedded: document.flag("embedded")))
        }
        return Schema(objects)
    }

    private static func property(_ document: MongoDocument, _ types: [MongoDocument]) -> Property? {
        guard let name = document.text("name"), let spelling = document.text("type"), let type = type(spelling, types)
        else { return nil }
        let isOptional = document.flag("optional") || spelling.hasSuffix("?")
        let aliases = document.text("alias").map { [$0] } ?? document.texts("renamedFrom")
        return Property(
            name, type, isOptional: isOptional, isIndexed: document.flag("indexed"), renamedFrom: aliases)
    }

    private static let scalars: [String: PropertyType] = [
        "int": .long, "bool": .bool, "float": .double, "double": .double, "string": .string, "data": .data,
        "date": .date, "object id": .objectID, "objectId": .objectID, "decimal128": .decimal128, "uuid": .uuid,
        "mixed": .mixed,
    ]

    private static func type(_ spelling: String, _ types: [MongoDocument]) -> PropertyType? {
        let name = spelling.hasSuffix("?") ? String(spelling.dropLast()) : spelling
        if let scalar = scalars[name] { return scalar }
        if let item = content(of: name, after: "array<") { return type(item, types).map { .array($0) } }
        if let item = content(of: name, after: "set<") { return type(item, types).map { .set($0) } }
        if let item = content(of: name, after: "dictionary<string, ") {
            return type(item, types).map { .dictionary($0) }
        }
        if name.hasPrefix("linking objects") { return nil }
        let target = content(of: name, after: "<") ?? name
        let object = types.first { $0.text("name") == target }
        if object?.flag("embedded") ?? false { return .embedded(target) }
        let key = object?.documents("properties").first { $0.text("name") == object?.text("primaryKey") }
        return .link(to: target, key: key?.text("type").flatMap { scalars[$0] } ?? .string)
    }

    private static func content(of name: String, after prefix: String) -> String? {
        name.hasPrefix(prefix) && name.hasSuffix(">") ? String(name.dropFirst(prefix.count).dropLast()) : nil
    }
}

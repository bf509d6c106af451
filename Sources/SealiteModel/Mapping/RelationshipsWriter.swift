internal import SealiteValues

/// Writes the relationships of a type in the form of App Services' separate file: the target of each link by the link's
/// path.
struct RelationshipsWriter {
    private let objects: [String: ObjectSchema]
    private let prefix: String
    private var result = MongoDocument()
    /// The number of relationships that were written. There can be as many as there are paths through embedded types.
    private var count = 0
    /// A cache by type: true for types that contain links, directly or in embedded objects, and false for those that
    /// don't.
    private var linking: [String: Bool] = [:]

    /// The maximum number of relationships that are written.
    static let maximumCount = 10_000

    init(_ schema: Schema, source: String, database: String) {
        objects = Dictionary(schema.objects.map { ($0.name, $0) }) { first, _ in first }
        prefix = "#/relationship/\(source)/\(database)/"
    }

    /// Returns the relationships of an object type.
    mutating func relationships(of name: String) -> MongoDocument {
        write(name, [], [name])
        return result
    }

    /// Writes the relationships of an object type at a path. `open` has the types on the path; a type isn't entered
    /// again inside itself.
    private mutating func write(_ name: String, _ path: [String], _ open: Set<String>) {
        for property in objects[name]?.properties ?? [] where Self.isWritable(property.name) {
            guard count < Self.maximumCount else { return }
            write(property.type, path + [property.name], open)
        }
    }

    /// Returns whether a path can contain a name. A name with a dot can't be distinguished from two names.
    private static func isWritable(_ name: String) -> Bool {
        name != RelationshipsReader.itemName && !name.utf8.contains(UInt8(ascii: "."))
    }

    private mutating func write(_ type: PropertyType, _ path: [String], _ open: Set<String>) {
        switch type {
        case .link(let target, _): append(target, path, isList: false)
        case .array(.link(let target, _)), .set(.link(let target, _)): append(target, path, isList: true)
        case .array(let item), .set(let item), .dictionary(let item):
            write(item, path + [RelationshipsReader.itemName], open)
        case .embedded(let name):
            guard !open.contains(name), hasLinks(name) else { return }
            write(name, path, open.union([name]))
        default: break
        }
    }

    /// Returns whether objects of a type have links.
    private mutating func hasLinks(_ name: String) -> Bool {
        if let known = linking[name] { return known }
        linking[name] = false
        let found = (objects[name]?.properties ?? []).contains { hasLinks($0.type) }
        linking[name] = found
        return found
    }

    private mutating func hasLinks(_ type: PropertyType) -> Bool {
        switch type {
        case .link: true
        case .array(let item), .set(let item), .dictionary(let item): hasLinks(item)
        case .embedded(let name): hasLinks(name)
        default: false
        }
    }

    private mutating func append(_ target: String, _ path: [String], isList: Bool) {
        let key = objects[target]?.primaryKey ?? "_id"
        guard count < Self.maximumCount else { return }
        count += 1
        result.append(
            path.joined(separator: "."),
            ["ref": .string(prefix + target), "foreign_key": .string(key), "is_list": .bool(isList)])
    }
}

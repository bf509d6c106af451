internal import SealiteValues

/// The relationships of a type, in the form of a separate file of App Services: paths from the document to the
/// properties that are links.
struct RelationshipsReader {
    /// The name that stands in a path for the items of a list or set, or the values of a dictionary.
    static let itemName = "[]"

    /// The target of a relationship.
    struct Target {
        let type: String
        let foreignKey: String
        let isList: Bool
    }

    /// The paths whose values aren't valid relationships.
    private(set) var malformed: [String] = []
    private var targets: [String: Target] = [:]
    private var paths: [String] = []
    private var taken: Set<String> = []

    init() {}

    init(_ file: MongoDocument, collections: [String: String]) {
        for member in file {
            if let target = Self.target(member.value, collections) {
                if targets.updateValue(target, forKey: member.key) == nil { paths.append(member.key) }
            } else {
                malformed.append(member.key)
            }
        }
    }

    private static func target(_ value: BSON, _ collections: [String: String]) -> Target? {
        guard case .document(let document) = value, case .string(let reference)? = document["ref"],
            case .string(let key)? = document["foreign_key"]
        else { return nil }
        var isList = false
        if let flag = document["is_list"] {
            guard case .bool(let value) = flag else { return nil }
            isList = value
        }
        let parts = reference.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 5, parts[0] == "#", parts[1] == "relationship", !parts.contains("") else { return nil }
        return Target(type: collections[parts[4]] ?? parts[4], foreignKey: key, isList: isList)
    }

    /// Returns the target of the relationship at a path, and marks the path as used; nil if there is none. `isList`
    /// must be true for a relationship to a list, and false for any other.
    mutating func take(_ field: [String], isList: Bool) -> Target? {
        guard !targets.isEmpty else { return nil }
        let path = field.joined(separator: ".")
        guard let target = targets[path], target.isList == isList else { return nil }
        taken.insert(path)
        return target
    }

    /// The paths of relationships that `take(_:isList:)` has never returned: no link property has the path, or only one
    /// of the property and the relationship is a list.
    var unused: [String] { paths.filter { !taken.contains($0) } }
}

/// Writes the relationships of a type in the form of App Services' separate file: the target of each link by the link's
/// path.
struct RelationshipsWriter {
    private let objects: [String: ObjectSchema]
    private let prefix: String
    private var result = MongoDocument()
    /// The number of relationships that were written. There can be as many as there are paths through embedded types.
    private var count = 0
    /// The types that contain links, directly or in embedded objects.
    private let linking: Set<String>

    /// The maximum number of relationships that are written.
    static let maximumCount = 10_000

    init(_ schema: Schema, source: String, database: String) {
        objects = Dictionary(schema.objects.map { ($0.name, $0) }) { first, _ in first }
        linking = Self.linkingTypes(schema.objects)
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
            guard !open.contains(name), linking.contains(name) else { return }
            write(name, path, open.union([name]))
        default: break
        }
    }

    /// Returns the names of the types that contain links, directly or in embedded objects. Embedded types may contain
    /// each other.
    private static func linkingTypes(_ objects: [ObjectSchema]) -> Set<String> {
        var containers: [String: [String]] = [:]
        var (found, pending): (Set<String>, [String]) = ([], [])
        for object in objects {
            for property in object.properties {
                switch property.type.innermost {
                case .link: if found.insert(object.name).inserted { pending.append(object.name) }
                case .embedded(let name): containers[name, default: []].append(object.name)
                default: break
                }
            }
        }
        while let name = pending.popLast() {
            for container in containers[name] ?? [] where found.insert(container).inserted { pending.append(container) }
        }
        return found
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

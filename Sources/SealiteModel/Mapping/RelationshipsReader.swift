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

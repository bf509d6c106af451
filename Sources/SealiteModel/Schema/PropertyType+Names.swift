extension PropertyType {
    /// The name of the type in Realm's spelling, which messages use.
    public var name: String {
        switch self {
        case .bool: "bool"
        case .int, .long: "int"
        case .double: "double"
        case .string: "string"
        case .data: "data"
        case .date: "date"
        case .decimal128: "decimal128"
        case .objectID: "object id"
        case .uuid: "uuid"
        case .mixed: "mixed"
        case .geoPoint: "geo point"
        case .embedded(let name), .link(let name, _): "<\(name)>"
        case .array(let item): "array<\(item.nameInside)>"
        case .set(let item): "set<\(item.nameInside)>"
        case .dictionary(let item): "dictionary<string, \(item.nameInside)>"
        }
    }

    private var nameInside: String {
        switch self {
        case .embedded(let name), .link(let name, _): name
        default: name
        }
    }
}

extension Property {
    /// The name of the type in Realm's spelling, with `?` if the property is optional.
    public var typeName: String { hasOptionality && isOptional ? type.name + "?" : type.name }

    /// A Boolean value that says whether the property can be optional as well as required. Lists, sets and dictionaries
    /// are never optional; links, embedded objects and mixed values always are.
    public var hasOptionality: Bool {
        switch type {
        case .array, .set, .dictionary, .embedded, .link, .mixed: false
        default: true
        }
    }

    /// A Boolean value that says whether each document must have the member.
    public var isRequired: Bool { hasOptionality && !isOptional }
}

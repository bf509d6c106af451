public import SealiteValues

/// The type of a property (Documentation/Models.md §1).
public indirect enum PropertyType: Sendable, Hashable {
    /// True or false.
    case bool
    /// An integer of 32 bits.
    case int
    /// An integer of 64 bits.
    case long
    /// A 64-bit binary floating-point number.
    case double
    /// A string.
    case string
    /// A sequence of bytes.
    case data
    /// A point in time, in milliseconds.
    case date
    /// A decimal number of 34 digits.
    case decimal128
    /// An ObjectID.
    case objectID
    /// A UUID.
    case uuid
    /// A value of any type, including null.
    case mixed
    /// A point on the earth as a GeoJSON point.
    case geoPoint
    /// An object inside its parent, of the named embedded object type.
    case embedded(String)
    /// A link: the primary key of an object of another type. `to` is the name of that type, and `key` the type of its
    /// primary key.
    case link(to: String, key: PropertyType)
    /// A list of values of one type.
    case array(PropertyType)
    /// A set of values of one type.
    case set(PropertyType)
    /// A dictionary with strings as keys and values of one type.
    case dictionary(PropertyType)
}

extension PropertyType {
    /// A Boolean value that says whether the type is a list, a set or a dictionary. These types are never optional,
    /// because an absent list, set or dictionary counts as empty.
    public var isCollection: Bool {
        switch self {
        case .array, .set, .dictionary: true
        default: false
        }
    }

    /// Returns whether stored values of the type are also valid values of another type, so that a migration needn't
    /// convert them. Integers of both widths count as one type, and so do links to one type.
    public func isStoredAs(_ other: PropertyType) -> Bool {
        switch (self, other) {
        case (.int, .long), (.long, .int): true
        case (.array(let left), .array(let right)), (.set(let left), .set(let right)),
            (.dictionary(let left), .dictionary(let right)):
            left.isStoredAs(right)
        case (.link(let left, _), .link(let right, _)): left == right
        default: self == other
        }
    }
}

extension PropertyType {
    /// The value that a required property gets if there is no other: 0, "", false, no bytes, the start of 1970, an ID
    /// of zeros, the point at latitude and longitude 0, or an empty list, set or dictionary. Null for mixed values,
    /// embedded objects and links, which have no such value.
    public var emptyValue: BSON {
        switch self {
        case .bool: .bool(false)
        case .int, .long: .int32(0)
        case .double: .double(0)
        case .string: .string("")
        case .data: .binary(Binary([]))
        case .date: .datetime(DateTime(milliseconds: 0))
        case .decimal128: .decimal128(Decimal128(0))
        case .objectID: ObjectID(bytes: [UInt8](repeating: 0, count: ObjectID.byteCount)).map { .objectID($0) } ?? .null
        case .uuid: .binary(Binary([UInt8](repeating: 0, count: 16), subtype: Binary.uuidSubtype))
        case .geoPoint:
            .document(["type": .string("Point"), "coordinates": .array([.double(0), .double(0)])])
        case .mixed, .embedded, .link: .null
        case .array, .set: .array([])
        case .dictionary: .document([:])
        }
    }
}

extension Property {
    /// The value with which a new object gets the member: the declared default, or the empty value of the type for a
    /// required property; nil if the member may stay absent.
    public var initialValue: BSON? { storedDefault ?? (isRequired ? type.emptyValue : nil) }

    /// The declared default in the stored form of the type, integers in their narrowest width; nil if none is declared.
    var storedDefault: BSON? { defaultValue.map { type.fitting($0, { _ in nil }) ?? $0 } }
}

extension PropertyType {
    /// The type of the innermost items of nested lists, sets and dictionaries; for other types the type itself.
    var innermost: PropertyType {
        switch self {
        case .array(let item), .set(let item), .dictionary(let item): item.innermost
        default: self
        }
    }

    /// The name of the embedded type of the values, or of the items of a collection; nil if they aren't embedded
    /// objects.
    var embeddedName: String? { if case .embedded(let name) = innermost { name } else { nil } }

    /// A Boolean value that says whether the values, or the items of a collection, are links.
    var isLink: Bool { if case .link = innermost { true } else { false } }

    /// A Boolean value that says whether a primary key may have the type.
    var isKey: Bool {
        switch self {
        case .objectID, .uuid, .string, .int, .long: true
        default: false
        }
    }
}

extension PropertyType {
    /// The name of the type in Realm's spelling, which messages use.
    public var name: String {
        switch self {
        case .bool, .int, .double, .string, .date, .uuid, .mixed: bsonTypeName
        case .long: "int"
        case .data: "data"
        case .decimal128: "decimal128"
        case .objectID: "object id"
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

    /// The name of the type in `bsonType`; `mixed` is App Services' own name.
    var bsonTypeName: String {
        switch self {
        case .bool: "bool"
        case .int: "int"
        case .long: "long"
        case .double: "double"
        case .string: "string"
        case .data: "binData"
        case .date: "date"
        case .decimal128: "decimal"
        case .objectID: "objectId"
        case .uuid: "uuid"
        case .mixed: "mixed"
        case .geoPoint, .embedded, .dictionary: "object"
        case .array, .set: "array"
        case .link(_, let key): key.bsonTypeName
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

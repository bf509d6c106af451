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

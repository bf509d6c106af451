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
    /// Text.
    case string
    /// Bytes.
    case data
    /// A point in time, in milliseconds.
    case date
    /// A decimal number of 34 digits.
    case decimal128
    /// An ObjectID.
    case objectID
    /// A UUID.
    case uuid
    /// A value of any type; null too.
    case mixed
    /// A point on the earth, as GeoJSON has it.
    case geoPoint
    /// An object inside its parent, of the embedded object type of that name.
    case embedded(String)
    /// The key of an object of another type.
    case link(to: String, key: PropertyType)
    /// A list of values.
    case array(PropertyType)
    /// A list of values without repetitions.
    case set(PropertyType)
    /// Values by names.
    case dictionary(PropertyType)
}

extension PropertyType {
    /// A Boolean value that says whether the type is a list, a set or a dictionary, which are never optional: an absent one is empty.
    public var isCollection: Bool {
        switch self {
        case .array, .set, .dictionary: true
        default: false
        }
    }

    /// Returns whether a stored value of the type is one of the other type as it stands, as a migration sees it: integers of both widths are one type.
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

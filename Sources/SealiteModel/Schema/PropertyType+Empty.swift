public import SealiteValues

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

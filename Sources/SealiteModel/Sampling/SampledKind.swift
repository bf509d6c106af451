internal import SealiteValues

/// The kinds of values that are distinguished in sampled documents.
enum SampledKind: Hashable, CaseIterable {
    case null, bool, int, long, double, decimal128, string, date, objectID, uuid, data, array, object
    /// A value of a type that models don't have.
    case other

    init(_ value: BSON) {
        self =
            switch value {
            case .null, .undefined: .null
            case .bool: .bool
            case .int32: .int
            case .int64(let number): Int32(exactly: number) == nil ? .long : .int
            case .double: .double
            case .decimal128: .decimal128
            case .string: .string
            case .datetime: .date
            case .objectID: .objectID
            case .binary(let binary): binary.uuidText == nil ? binary.subtype == 0 ? .data : .other : .uuid
            case .array: .array
            case .document: .object
            default: .other
            }
    }

    /// The schema type of values of the kind; nil for containers, and for types that models don't have.
    var type: PropertyType? {
        switch self {
        case .bool: .bool
        case .int: .int
        case .long: .long
        case .double: .double
        case .decimal128: .decimal128
        case .string: .string
        case .date: .date
        case .objectID: .objectID
        case .uuid: .uuid
        case .data: .data
        case .null, .array, .object, .other: nil
        }
    }
}

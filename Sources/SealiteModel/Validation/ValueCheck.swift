internal import FoundationEssentials
internal import SealiteBase
internal import SealiteJSON
internal import SealiteValues

/// The compiled check of a property's type on a stored value.
enum ValueCheck: Sendable {
    /// A type without parts that are checked separately. The raw values are the names for violations: the name in
    /// `bsonType`, or `GeoJSON point`.
    enum Scalar: String, Sendable {
        case bool, int, long, double, string, date, uuid, mixed
        case data = "binData"
        case decimal128 = "decimal"
        case objectID = "objectId"
        case geoPoint = "GeoJSON point"
    }

    case scalar(Scalar)
    /// An object of the embedded type whose compiled check has this index in the validator's list.
    case object(Int)
    /// An array, whose items are checked; for a set, also for duplicates.
    indirect case items(ValueCheck, isSet: Bool)
    /// A dictionary, whose values are checked.
    indirect case members(ValueCheck)

    /// The name of the type for violations.
    var typeName: String {
        switch self {
        case .scalar(let scalar): scalar.rawValue
        case .object, .members: "object"
        case .items: "array"
        }
    }

    /// Returns whether a stored element is of the type; nil if the type is an array, a dictionary or an object, whose
    /// content has to be checked separately. Null is only of the type `mixed`.
    @inline(__always)
    func isScalarFulfilled(by element: JSONBElement, in bytes: borrowing Span<UInt8>) -> Bool? {
        if case .scalar(let scalar) = self { scalar.isFulfilled(by: element, in: bytes) } else { nil }
    }

    /// Returns whether a stored element is text that a value of the type may be stored as: a date in ISO 8601, bytes in
    /// Base64 or a UUID.
    func isText(_ element: JSONBElement, in bytes: borrowing Span<UInt8>) -> Bool {
        if case .scalar(let scalar) = self { scalar.isText(element, in: bytes) } else { false }
    }
}

extension ValueCheck.Scalar {
    @inline(__always)
    fileprivate func isFulfilled(by element: JSONBElement, in bytes: borrowing Span<UInt8>) -> Bool {
        switch self {
        case .bool: element.type == JSONBType.true || element.type == JSONBType.false
        case .string: element.isString
        case .int, .long, .double, .decimal128: isNumberFulfilled(by: element, in: bytes)
        case .data, .date, .objectID, .uuid: isWrapperFulfilled(by: element, in: bytes)
        case .mixed: Self.isMixed(element, in: bytes, levels: Self.mixedLevels)
        case .geoPoint: Self.isPoint(element, in: bytes)
        }
    }

    /// Returns whether a value is of the type; false if the type is a point.
    func isFulfilled(by value: BSON) -> Bool {
        switch (self, value) {
        case (.mixed, _), (.bool, .bool), (.int, .int32), (.long, .int32), (.long, .int64), (.double, .int32),
            (.double, .int64), (.double, .double), (.string, .string), (.data, .binary), (.date, .datetime),
            (.decimal128, .decimal128), (.objectID, .objectID):
            true
        // A wrapped 64-bit integer may have a value that fits 32 bits.
        case (.int, .int64(let number)): Int32(exactly: number) != nil
        case (.uuid, .binary(let binary)): binary.uuidText != nil
        default: false
        }
    }

    fileprivate func isText(_ element: JSONBElement, in bytes: borrowing Span<UInt8>) -> Bool {
        guard element.isString else { return false }
        let text = element.text(in: bytes)
        return switch self {
        case .date: ISO8601.parts(of: text.utf8.span, .documents) != nil
        case .data: Base64.decode(text) != nil
        case .uuid: UUID(uuidString: text) != nil
        default: false
        }
    }

    // MARK: - Numbers and wrappers

    private func isNumberFulfilled(by element: JSONBElement, in bytes: borrowing Span<UInt8>) -> Bool {
        guard element.isNumber else {
            guard element.type == JSONBType.object else { return false }
            return isWrapperFulfilled(by: element, in: bytes)
        }
        switch (self, StoredValue(element, in: bytes).type) {
        case (.int, .int32), (.long, .int32), (.long, .int64), (.double, .int32), (.double, .int64), (.double, .double):
            return true
        default: return false
        }
    }

    private func isWrapperFulfilled(by element: JSONBElement, in bytes: borrowing Span<UInt8>) -> Bool {
        guard element.type == JSONBType.object else { return false }
        switch StoredValue(element, in: bytes) {
        case .wrapped(let value): return isFulfilled(by: value)
        case .number: return BSON(stored: element, in: bytes).map { isFulfilled(by: $0) } ?? false
        default: return false
        }
    }

    // MARK: - Mixed values and points

    /// The maximum nesting of containers in a mixed value.
    static let mixedLevels = 100

    private static func isMixed(_ element: JSONBElement, in bytes: borrowing Span<UInt8>, levels: Int) -> Bool {
        guard element.type == JSONBType.array || element.type == JSONBType.object else {
            return element.type <= JSONBType.rawText
        }
        guard levels > 0 else { return false }
        var offset = element.start
        while offset < element.end {
            guard let item = JSONBElement(bytes, at: offset, limit: element.end),
                isMixed(item, in: bytes, levels: levels - 1)
            else { return false }
            offset = item.end
        }
        return true
    }

    private static func isPoint(_ element: JSONBElement, in bytes: borrowing Span<UInt8>) -> Bool {
        guard element.type == JSONBType.object, case .document(let point)? = BSON(stored: element, in: bytes),
            point["type"] == .string("Point"), case .array(let coordinates)? = point["coordinates"],
            coordinates.count >= 2, let longitude = coordinates[0].coordinate, let latitude = coordinates[1].coordinate
        else { return false }
        return GeoPoint(latitude: latitude, longitude: longitude) != nil
    }
}

extension BSON {
    /// The number as a coordinate in degrees; nil for a value that isn't a number.
    fileprivate var coordinate: Double? {
        switch self {
        case .double(let number): number
        case .int32(let number): Double(number)
        case .int64(let number): Double(number)
        default: nil
        }
    }
}

internal import FoundationEssentials
package import SealiteJSON
package import SealiteValues

/// A JSONB element of a document's body, with the bytes that contain it. The properties and methods return its value as
/// a certain type; nil if it isn't of that type.
package struct StoredElement {
    package let bytes: [UInt8]
    package let element: JSONBElement

    /// Creates the root element of a body; nil if the bytes are damaged.
    package init?(root bytes: [UInt8]) {
        guard let element = JSONBElement(root: bytes.span) else { return nil }
        self.init(bytes, element)
    }

    init(_ bytes: [UInt8], _ element: JSONBElement) { (self.bytes, self.element) = (bytes, element) }

    /// The value as BSON; nil if the element is damaged.
    package var bson: BSON? { BSON(stored: element, in: bytes.span) }

    package var isNull: Bool { element.type == JSONBType.null }

    var bool: Bool? {
        switch element.type {
        case JSONBType.true: true
        case JSONBType.false: false
        default: nil
        }
    }

    var string: String? { element.isString ? element.text(in: bytes.span) : nil }

    /// The number, from a JSON number or an Extended JSON wrapper; nil for other values.
    private var number: NumericValue? {
        if element.isNumber { return NumericValue(element, in: bytes.span) }
        return element.type == JSONBType.object ? bson.flatMap { NumericValue($0) } : nil
    }

    /// Returns the integer that equals the element's number; nil if the number has a fraction or doesn't fit the type,
    /// or if the element isn't a number.
    func integer<T: FixedWidthInteger>(_ type: T.Type) -> T? {
        guard let number else { return nil }
        switch number {
        case .integer(let value): return T(exactly: value)
        default: break
        }
        if case .integer(let value) = number.canonical { return T(exactly: value) }
        // The number doesn't fit a signed 64-bit integer.
        return element.type == JSONBType.integer ? T(string(ofPayload: ())) : nil
    }

    /// The double nearest to the element's number; nil if the element isn't a number.
    var double: Double? {
        switch number {
        case .integer(let value): Double(value)
        case .double(let value): value
        case .decimal(let value): value.doubleValue
        case nil: nil
        }
    }

    /// The single-precision number nearest to the element's number; nil if the element isn't a number. It is parsed
    /// from the digits, because a conversion through a double would round twice.
    var float: Float? { element.isNumber ? Float(string(ofPayload: ())) : double.map { Float($0) } }

    private func string(ofPayload: ()) -> String { element.text(in: bytes.span) }

    // MARK: - Wrappers

    var objectID: ObjectID? {
        if case .objectID(let id)? = element.frequentWrapper(in: bytes.span) ?? bson { id } else { nil }
    }

    var dateTime: DateTime? {
        if case .datetime(let date)? = element.frequentWrapper(in: bytes.span) ?? bson { date } else { nil }
    }

    /// The date in either stored form, ISO 8601 text or `{"$date": …}`.
    var date: Date? { dateTime.map { Date($0) } ?? string.flatMap { Value.string($0).date } }

    /// The number as a decimal, exactly.
    var decimal: Decimal? {
        if element.isNumber { return exactDecimal(string(ofPayload: ())) }
        return decimal128.flatMap { exactDecimal($0.description) }
    }

    private func exactDecimal(_ text: String) -> Decimal? { Number(json: text)?.exactDecimal }

    package var decimal128: Decimal128? {
        guard let bson else { return nil }
        switch bson {
        case .double(let value): return Decimal128(shortest: value)
        default: return Decimal128(bson: bson)
        }
    }

    var binary: Binary? { if case .binary(let binary)? = bson { binary } else { nil } }

    /// The bytes in either stored form, Base64 or `{"$binary": …}`.
    var data: Data? { binary.map { Data($0.bytes) } ?? string.flatMap { Data(base64Encoded: $0) } }

    /// The UUID in either stored form, text or `{"$uuid": …}`.
    var uuid: UUID? { (binary?.uuidText ?? string).flatMap { UUID(uuidString: $0) } }

    /// Returns the element as a `Value`; objects that describe blobs become blobs of the database.
    package func value(_ database: Database?) -> Value? { Value(element, in: bytes, database: database) }

    // MARK: - Parts

    /// Returns the value of the object's member with a name; nil if there is none.
    package func member(_ name: String) -> StoredElement? {
        let name = Array(name.utf8)
        return element.member(name.span, in: bytes.span).map { StoredElement(bytes, $0) }
    }

    /// The element alone, in JSONB.
    package var raw: [UInt8] {
        var writer = JSONBWriter(capacity: element.end - element.start + 8)
        writer.element(element.type, bytes.span, element.start, element.end)
        return writer.bytes
    }
}

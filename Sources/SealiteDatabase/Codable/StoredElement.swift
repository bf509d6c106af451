internal import FoundationEssentials
internal import SealiteBase
package import SealiteJSON
package import SealiteValues

/// A JSONB element of a document's body, with the bytes that contain it. The properties and methods return its value as
/// a certain type; nil if it isn't of that type.
package struct StoredElement {
    package let bytes: [UInt8]
    package let element: JSONBElement
    /// The API that reads the value.
    let api: CodingRules.API

    /// Creates the root element of a body; nil if the bytes are damaged.
    package init?(root bytes: [UInt8], _ api: CodingRules.API = .models) {
        guard let element = JSONBElement(root: bytes.span) else { return nil }
        self.init(bytes, element, api)
    }

    init(_ bytes: [UInt8], _ element: JSONBElement, _ api: CodingRules.API) {
        (self.bytes, self.element, self.api) = (bytes, element, api)
    }

    /// The value as BSON; nil if the element is damaged.
    package var bson: BSON? { BSON(stored: element, in: bytes.span) }

    /// The value of a wrapper of Extended JSON that only MongoDB's calls read as something else than its own type.
    private var mongoValue: BSON? {
        guard api == .mongo, element.type == JSONBType.object,
            case .wrapped(let value) = StoredValue(element, in: bytes.span)
        else { return nil }
        return value
    }

    /// A Boolean value that says whether the value is null; in MongoDB's calls also whether it is undefined.
    package var isNull: Bool {
        if element.type == JSONBType.null { return true }
        guard api == .mongo, case .undefined? = mongoValue else { return false }
        return true
    }

    var bool: Bool? {
        switch element.type {
        case JSONBType.true: true
        case JSONBType.false: false
        default: nil
        }
    }

    /// The text of a string; in MongoDB's calls also that of a symbol.
    var string: String? {
        if element.isString { return element.text(in: bytes.span) }
        if case .symbol(let text)? = mongoValue { return text }
        return nil
    }

    // MARK: - Numbers

    /// The number, from a JSON number or an Extended JSON wrapper; nil for other values.
    private var number: NumericValue? {
        if element.isNumber { return NumericValue(element, in: bytes.span) }
        return element.type == JSONBType.object ? bson.flatMap { NumericValue($0) } : nil
    }

    /// A Boolean value that says whether the element is a number, which any of the types of numbers might hold.
    var isNumeric: Bool { number != nil }

    /// Returns the integer that equals the element's number; nil if the number has a fraction or doesn't fit the type,
    /// or if the element isn't a number.
    func integer<T: FixedWidthInteger>(_ type: T.Type) -> T? {
        guard let number else { return nil }
        if case .integer(let value) = number { return T(exactly: value) }
        guard api == .mongo || !element.isNumber else {
            let exact = Number(type: element.type, payload: bytes[element.start..<element.end])
            return exact.exactInt64.flatMap { T(exactly: $0) } ?? exact.exactUInt64.flatMap { T(exactly: $0) }
        }
        if case .integer(let value) = number.canonical { return T(exactly: value) }
        return nil
    }

    /// The double nearest to the element's number; in MongoDB's calls only if it is equal to the number, and in
    /// documents only if it is finite. Nil if the element isn't a number.
    var double: Double? {
        switch number {
        case .integer(let value): api == .mongo ? Double(exactly: value) : Double(value)
        case .double(let value): api == .documents && element.isNumber && !value.isFinite ? nil : value
        case .decimal(let value): api == .mongo ? value.exactDouble : value.doubleValue
        case nil: nil
        }
    }

    /// The single-precision number nearest to the element's number; nil if the element isn't a number. It is parsed
    /// from the digits, because a conversion through a double would round twice.
    var float: Float? {
        guard let double else { return nil }
        guard element.isNumber, let value = Float(text) else { return Float(double) }
        return value.isFinite || api != .documents ? value : nil
    }

    /// The number as a decimal, exactly.
    var decimal: Decimal? {
        if element.isNumber, api != .mongo { return exactDecimal(text) }
        return switch number {
        case .integer(let value): Decimal(value)
        case .double(let value): exactDecimal(value.description)
        case .decimal(let value): exactDecimal(value.description)
        case nil: nil
        }
    }

    private func exactDecimal(_ text: String) -> Decimal? { Number(json: text)?.exactDecimal }

    /// The number as a decimal of MongoDB's; of a double, the one with the fewest digits, but not in MongoDB's calls.
    package var decimal128: Decimal128? {
        guard let bson else { return nil }
        if api != .mongo, case .double(let value) = bson { return Decimal128(shortest: value) }
        return Decimal128(bson: bson)
    }

    /// The payload as text.
    private var text: String { element.text(in: bytes.span) }

    // MARK: - Wrappers

    var objectID: ObjectID? {
        if case .objectID(let id)? = element.frequentWrapper(in: bytes.span) ?? bson { id } else { nil }
    }

    private var dateTime: DateTime? {
        if case .datetime(let date)? = element.frequentWrapper(in: bytes.span) ?? bson { date } else { nil }
    }

    /// The date in either stored form, ISO 8601 text or `{"$date": …}`.
    var date: Date? { element.isString ? ISO8601.date(text) : dateTime.map { Date($0) } }

    private var binary: Binary? { if case .binary(let binary)? = bson { binary } else { nil } }

    /// The bytes of `{"$binary": …}`.
    var binaryBytes: [UInt8]? { binary?.bytes }

    /// The bytes in either stored form, Base64 or `{"$binary": …}`.
    var data: Data? { element.isString ? Data(base64Encoded: text) : binary.map { Data($0.bytes) } }

    /// The UUID in either stored form, text or `{"$uuid": …}`.
    var uuid: UUID? { (element.isString ? text : binary?.uuidText).flatMap { UUID(uuidString: $0) } }

    /// Returns the element as a `Value`; objects that describe blobs become blobs of the database.
    package func value(_ database: Database?) -> Value? { Value(element, in: bytes, database: database) }

    // MARK: - Parts

    /// Returns the value of the object's member with a name; nil if there is none.
    package func member(_ name: String) -> StoredElement? {
        let name = Array(name.utf8)
        return element.member(name.span, in: bytes.span).map { StoredElement(bytes, $0, api) }
    }

    /// The element alone, in JSONB.
    package var raw: [UInt8] {
        var writer = JSONBWriter(capacity: element.end - element.start + 8)
        writer.element(element.type, bytes.span, element.start, element.end)
        return writer.bytes
    }

    /// The name of the value's type in MongoDB's terms, for errors.
    var typeName: String { StoredValue(element, in: bytes.span).type?.alias ?? "" }
}

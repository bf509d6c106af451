internal import Foundation
internal import SealiteDatabase
internal import SealiteJSON
internal import SealiteValues

/// A stored element in its bytes, with its value in each type that can be read from it; nil if it isn't of that type.
struct StoredElement {
    let bytes: [UInt8]
    let element: JSONBElement

    /// Creates the position of the root of bytes; nil if they are damaged.
    init?(root bytes: [UInt8]) {
        guard let element = JSONBElement(root: bytes.span) else { return nil }
        self.init(bytes, element)
    }

    init(_ bytes: [UInt8], _ element: JSONBElement) { (self.bytes, self.element) = (bytes, element) }

    /// The value as Extended JSON; nil for everything else.
    var bson: BSON? { BSON(stored: element, in: bytes.span) }

    var isNull: Bool { element.type == JSONBType.null }

    var bool: Bool? {
        switch element.type {
        case JSONBType.true: true
        case JSONBType.false: false
        default: nil
        }
    }

    var string: String? { element.isString ? element.text(in: bytes.span) : nil }

    /// The number, wrapped or not.
    private var number: NumericValue? {
        if element.isNumber { return NumericValue(element, in: bytes.span) }
        return element.type == JSONBType.object ? bson.flatMap { NumericValue($0) } : nil
    }

    /// Returns the integer that equals the number; nil also if the type can't hold it.
    func integer<T: FixedWidthInteger>(_ type: T.Type) -> T? {
        guard let number else { return nil }
        switch number {
        case .integer(let value): return T(exactly: value)
        default: break
        }
        if case .integer(let value) = number.canonical { return T(exactly: value) }
        // The number has more than 64 bits with a sign.
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

    /// The nearest number of single precision, from its digits, because a conversion through a double would round
    /// twice.
    var float: Float? { element.isNumber ? Float(string(ofPayload: ())) : double.map { Float($0) } }

    private func string(ofPayload: ()) -> String { element.text(in: bytes.span) }

    // MARK: - Wrappers

    var objectID: ObjectID? {
        if case .objectID(let id)? = element.frequentWrapper(in: bytes.span) ?? bson { id } else { nil }
    }

    var dateTime: DateTime? {
        if case .datetime(let date)? = element.frequentWrapper(in: bytes.span) ?? bson { date } else { nil }
    }

    var date: Date? { dateTime.map { Date(timeIntervalSince1970: Double($0.milliseconds) / 1000) } }

    var decimal128: Decimal128? {
        guard let bson else { return nil }
        switch bson {
        case .double(let value): return Decimal128(shortest: value)
        default: return Decimal128(bson: bson)
        }
    }

    var binary: Binary? { if case .binary(let binary)? = bson { binary } else { nil } }

    var uuid: UUID? { binary?.uuidText.flatMap { UUID(uuidString: $0) } }

    /// Returns the value as one of any type; objects that describe blobs become blobs of the database.
    func value(_ database: Database?) -> Value? { Value(element, in: bytes, database: database) }
}

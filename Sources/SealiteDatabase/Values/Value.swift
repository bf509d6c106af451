public import FoundationEssentials

/// What a property of a document, a member of a dictionary or an item of an array holds.
///
/// The typed getters follow Couchbase Lite: a value of another kind, or none, reads as 0, false or nil.
public enum Value: Sendable, Hashable {
    /// JSON's null.
    case null
    /// True or false.
    case boolean(Bool)
    /// A number, in its exact form.
    case number(Number)
    /// Text; dates are text too, in ISO 8601.
    case string(String)
    /// An array.
    case array(ArrayObject)
    /// An object with members.
    case dictionary(DictionaryObject)
    /// A blob: in JSON the object that describes it.
    case blob(Blob)

    /// The date's text in ISO 8601, UTC, milliseconds.
    public static func date(_ date: Date) -> Value { .string(ISO8601.text(date)) }

    /// The text, nil for anything else.
    public var string: String? { if case .string(let text) = self { text } else { nil } }

    /// The number, nil for anything else.
    public var number: Number? { if case .number(let number) = self { number } else { nil } }

    /// The integer, its fraction cut off and clamped to 64 bits; 1 for true, 0 for anything else.
    public var int64: Int64 {
        switch self {
        case .number(let number): number.int64Value
        case .boolean(let value): value ? 1 : 0
        default: 0
        }
    }

    /// As `int64`.
    public var int: Int { Int(clamping: int64) }

    /// The nearest double; 1 for true, 0 for anything else.
    public var double: Double {
        switch self {
        case .number(let number): number.doubleValue
        case .boolean(let value): value ? 1 : 0
        default: 0
        }
    }

    /// As `double`, in single precision.
    public var float: Float { Float(double) }

    /// The truth: false for false, 0 and null, true for everything else.
    public var boolean: Bool {
        switch self {
        case .null: false
        case .boolean(let value): value
        case .number(let number): number.doubleValue != 0
        default: true
        }
    }

    /// The date that a string holds in ISO 8601, nil for anything else.
    public var date: Date? { string.flatMap(ISO8601.date) }

    /// The array, nil for anything else.
    public var array: ArrayObject? { if case .array(let array) = self { array } else { nil } }

    /// The dictionary, nil for anything else.
    public var dictionary: DictionaryObject? {
        if case .dictionary(let dictionary) = self { dictionary } else { nil }
    }

    /// The blob, nil for anything else.
    public var blob: Blob? { if case .blob(let blob) = self { blob } else { nil } }

    /// Whether this is null, which a missing member reads as.
    public var isNull: Bool { self == .null }

    /// A member of a dictionary; null where there is none. Setting a member of null makes a dictionary of it; setting one
    /// of any other value does nothing.
    public subscript(key: String) -> Value {
        get { dictionary?[key] ?? .null }
        set {
            var object: DictionaryObject
            switch self {
            case .dictionary(let dictionary): object = dictionary
            case .null: object = DictionaryObject()
            default: return
            }
            self = .null
            object[key] = newValue
            self = .dictionary(object)
        }
    }

    /// An item of an array; null past its ends, where setting does nothing.
    public subscript(index: Int) -> Value {
        get {
            guard let array, array.indices.contains(index) else { return .null }
            return array[index]
        }
        set {
            guard case .array(var array) = self, array.indices.contains(index) else { return }
            self = .null
            array[index] = newValue
            self = .array(array)
        }
    }
}

extension Value: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Text.
    public init(stringLiteral value: String) { self = .string(value) }
    /// True or false.
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
    /// An integer.
    public init(integerLiteral value: Int64) { self = .number(Number(value)) }
    /// A floating-point number.
    public init(floatLiteral value: Double) { self = .number(Number(value)) }
    /// Null.
    public init(nilLiteral: ()) { self = .null }
    /// An array.
    public init(arrayLiteral elements: Value...) { self = .array(ArrayObject(elements)) }
    /// A dictionary; of a key given twice the last value counts.
    public init(dictionaryLiteral elements: (String, Value)...) { self = .dictionary(DictionaryObject(elements)) }
}

extension Value {
    /// Text.
    public init(_ value: String) { self = .string(value) }
    /// An integer.
    public init(_ value: some BinaryInteger) { self = .number(Number(value)) }
    /// A floating-point number.
    public init(_ value: Double) { self = .number(Number(value)) }
    /// True or false.
    public init(_ value: Bool) { self = .boolean(value) }
}

/// The value of a document's property, a dictionary's member or an array's item.
///
/// The typed getters follow Couchbase Lite: a value of another type reads as 0 or nil, except that true reads as 1
/// where a number of a Swift type is asked for, and that ``boolean`` is true for every value but false, 0 and null.
public enum Value: Sendable, Hashable {
    /// JSON's null.
    case null
    /// True or false.
    case boolean(Bool)
    /// A number, in its exact form.
    case number(Number)
    /// Text.
    case string(String)
    /// A JSON array.
    case array(ArrayObject)
    /// An object with members.
    case dictionary(DictionaryObject)
    /// A blob; in JSON, the object that describes it.
    case blob(Blob)

    /// The text, nil for a value of any other type.
    public var string: String? { if case .string(let text) = self { text } else { nil } }

    /// The number in its exact form, nil for a value of any other type.
    public var number: Number? { if case .number(let number) = self { number } else { nil } }

    /// The number as an integer, truncated and clamped to 64 bits; 1 for true, 0 for false and for any other type.
    public var int64: Int64 {
        switch self {
        case .number(let number): number.int64Value
        case .boolean(let value): value ? 1 : 0
        default: exactNumber?.int64Value ?? 0
        }
    }

    /// The number as an integer, truncated and clamped; 1 for true, 0 for false and for any other type.
    public var int: Int { Int(clamping: int64) }

    /// The number as the nearest double; 1 for true, 0 for false and for any other type.
    public var double: Double {
        switch self {
        case .number(let number): number.doubleValue
        case .boolean(let value): value ? 1 : 0
        default: wrappedDouble ?? 0
        }
    }

    /// The number as the nearest double, in single precision; 1 for true, 0 for false and for any other type.
    public var float: Float { Float(double) }

    /// The value as a Boolean: false for false, 0 and null, true for every other value.
    public var boolean: Bool {
        switch self {
        case .null: false
        case .boolean(let value): value
        case .number(let number): number.doubleValue != 0
        default: true
        }
    }

    /// The array, nil for a value of any other type.
    public var array: ArrayObject? { if case .array(let array) = self { array } else { nil } }

    /// The dictionary, nil for a value of any other type.
    public var dictionary: DictionaryObject? {
        if case .dictionary(let dictionary) = self { dictionary } else { nil }
    }

    /// The members of the value as JSON's objects have them: those of a dictionary, or of the object that describes a
    /// blob; nil for a value of any other type.
    package var object: DictionaryObject? { dictionary ?? blob?.properties }

    /// The blob, nil for a value of any other type.
    public var blob: Blob? { if case .blob(let blob) = self { blob } else { nil } }

    /// A Boolean value that says whether the value is null. A member that a dictionary lacks reads as null, too.
    public var isNull: Bool { self == .null }

    /// A member of a dictionary; null if there is none. Setting a member of null makes it a dictionary; setting a
    /// member of any other value does nothing.
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

    /// The item of an array at an index. Outside of the array's bounds, getting returns null and setting has no effect.
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
    /// Creates a text.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Creates a Boolean.
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
    /// Creates an integer.
    public init(integerLiteral value: Int64) { self = .number(Number(value)) }
    /// Creates a floating-point number.
    public init(floatLiteral value: Double) { self = .number(Number(value)) }
    /// Creates null.
    public init(nilLiteral: ()) { self = .null }
    /// Creates an array.
    public init(arrayLiteral elements: Value...) { self = .array(ArrayObject(elements)) }
    /// Creates a dictionary; if a key occurs twice, the last value counts.
    public init(dictionaryLiteral elements: (String, Value)...) { self = .dictionary(DictionaryObject(elements)) }
}

extension Value {
    /// Creates a text.
    public init(_ value: String) { self = .string(value) }
    /// Creates an integer.
    public init(_ value: some BinaryInteger) { self = .number(Number(value)) }
    /// Creates a floating-point number.
    public init(_ value: Double) { self = .number(Number(value)) }
    /// Creates a Boolean.
    public init(_ value: Bool) { self = .boolean(value) }
}

extension Value? {
    /// A member of a dictionary; null if there is no value or no such member.
    public subscript(key: String) -> Value { self?[key] ?? .null }

    /// An item of an array; null if there is no value or no such item.
    public subscript(index: Int) -> Value { self?[index] ?? .null }
}

extension Optional where Wrapped: PropertyContainer {
    /// A property; null if there is no document, or no such property: `try notes.document(id: "a")["title"].string`.
    public subscript(key: String) -> Value { self?.value(forKey: key) ?? .null }
}

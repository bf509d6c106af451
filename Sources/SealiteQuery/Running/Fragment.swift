public import FoundationEssentials
public import SealiteDatabase

/// A value in a result by subscripts: `result["address"]["city"].string`. What isn't there reads as nil, 0 or false.
public struct Fragment: Sendable {
    /// The value; nil where there is none.
    public let value: Value?

    /// A Boolean value that says whether there is a value, NULL included.
    public var exists: Bool { value != nil }

    /// The text; nil for anything else.
    public var string: String? { value?.string }
    /// The number; nil for anything else.
    public var number: Number? { value?.number }
    /// The integer; see `Value.int64`.
    public var int: Int { value?.int ?? 0 }
    /// The integer; see `Value.int64`.
    public var int64: Int64 { value?.int64 ?? 0 }
    /// The number in single precision.
    public var float: Float { value?.float ?? 0 }
    /// The number.
    public var double: Double { value?.double ?? 0 }
    /// The truth.
    public var boolean: Bool { value?.boolean ?? false }
    /// The date that a text is in ISO 8601; nil for anything else.
    public var date: Date? { value?.date }
    /// The blob; nil for anything else.
    public var blob: Blob? { value?.blob }
    /// The array; nil for anything else.
    public var array: ArrayObject? { value?.array }
    /// The object; nil for anything else.
    public var dictionary: DictionaryObject? { value?.dictionary }

    /// An item of an array.
    public subscript(index: Int) -> Fragment {
        guard let array, array.indices.contains(index) else { return Fragment(value: nil) }
        return Fragment(value: array[index])
    }

    /// A member of an object.
    public subscript(key: String) -> Fragment { Fragment(value: dictionary?.value(forKey: key)) }
}

extension Result: Sequence {
    /// A column by its position.
    public subscript(index: Int) -> Fragment { Fragment(value: value(at: index)) }

    /// A column by its name.
    public subscript(key: String) -> Fragment { Fragment(value: value(forKey: key)) }

    /// Iterates over ``keys``.
    public func makeIterator() -> IndexingIterator<[String]> { keys.makeIterator() }
}

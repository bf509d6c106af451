public import FoundationEssentials
public import SealiteDatabase

/// A value in a result, accessed by subscripts: `result["address"]["city"].string`. If there is no value, the
/// properties are nil, 0 or false.
public struct Fragment: Sendable {
    /// The value; nil if there is none.
    public let value: Value?

    /// A Boolean value that says whether there is a value, NULL included.
    public var exists: Bool { value != nil }

    /// The text; nil for any other type.
    public var string: String? { value?.string }
    /// The number; nil for any other type.
    public var number: Number? { value?.number }
    /// The integer; see `Value.int64`.
    public var int: Int { value?.int ?? 0 }
    /// The integer; see `Value.int64`.
    public var int64: Int64 { value?.int64 ?? 0 }
    /// The number in single precision.
    public var float: Float { value?.float ?? 0 }
    /// The value as a number; 0 if it isn't one.
    public var double: Double { value?.double ?? 0 }
    /// The value as a Boolean; see `Value.boolean`.
    public var boolean: Bool { value?.boolean ?? false }
    /// The date in an ISO 8601 text; nil for any other value.
    public var date: Date? { value?.date }
    /// The blob; nil for any other type.
    public var blob: Blob? { value?.blob }
    /// The array; nil for any other type.
    public var array: ArrayObject? { value?.array }
    /// The object; nil for any other type.
    public var dictionary: DictionaryObject? { value?.dictionary }

    /// The item of the array with an index, from 0; without a value if there is none.
    public subscript(index: Int) -> Fragment {
        guard let array, array.indices.contains(index) else { return Fragment(value: nil) }
        return Fragment(value: array[index])
    }

    /// The member of the object with a name; without a value if there is none.
    public subscript(key: String) -> Fragment { Fragment(value: dictionary?.value(forKey: key)) }
}

extension Result: Sequence {
    /// The value of a column by its position, from 0.
    public subscript(index: Int) -> Fragment { Fragment(value: value(at: index)) }

    /// The value of a column by its name.
    public subscript(key: String) -> Fragment { Fragment(value: value(forKey: key)) }

    /// Iterates over ``keys``.
    public func makeIterator() -> IndexingIterator<[String]> { keys.makeIterator() }
}

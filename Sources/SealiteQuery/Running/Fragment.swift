public import FoundationEssentials
public import SealiteDatabase

/// A value in a result, accessed by subscripts: `result["address"]["city"].string`. If there is no value, the
/// properties are nil, 0 or false.
public struct Fragment: Sendable {
    /// The value itself; nil if there is none.
    public let value: Value?

    /// A Boolean value that says whether there is a value, NULL included.
    public var exists: Bool { value != nil }

    /// The value as text; nil if there is none or it has another type.
    public var string: String? { value?.string }
    /// The value as a number; nil if there is none or it has another type.
    public var number: Number? { value?.number }
    /// The value as an integer, converted as by `Value.int64`; 0 if there is none.
    public var int: Int { value?.int ?? 0 }
    /// The value as an integer, converted as by `Value.int64`; 0 if there is none.
    public var int64: Int64 { value?.int64 ?? 0 }
    /// The value as a number in single precision, converted as by `Value.double`; 0 if there is none.
    public var float: Float { value?.float ?? 0 }
    /// The value as a double, converted as by `Value.double`; 0 if there is none.
    public var double: Double { value?.double ?? 0 }
    /// The value as a Boolean, converted as by `Value.boolean`; false if there is none.
    public var boolean: Bool { value?.boolean ?? false }
    /// The value as a date, if it is one in either stored form (`ValueForm`); nil for any other value, and if there is
    /// none.
    public var date: Date? { value?.date }
    /// The value as a blob; nil if there is none or it has another type.
    public var blob: Blob? { value?.blob }
    /// The value as an array; nil if there is none or it has another type.
    public var array: ArrayObject? { value?.array }
    /// The value as an object; nil if there is none or it has another type.
    public var dictionary: DictionaryObject? { value?.dictionary }

    /// The fragment for the item with an index, from 0, of the value, which is an array; without a value if there is no
    /// such item.
    public subscript(index: Int) -> Fragment {
        guard let array, array.indices.contains(index) else { return Fragment(value: nil) }
        return Fragment(value: array[index])
    }

    /// The fragment for the member with a name of the value, which is an object; without a value if there is no such
    /// member.
    public subscript(key: String) -> Fragment { Fragment(value: dictionary?.value(forKey: key)) }
}

extension Result: Sequence {
    /// The fragment for the value of a column by its position, from 0; without a value if it is MISSING or there is no
    /// such column.
    public subscript(index: Int) -> Fragment { Fragment(value: value(at: index)) }

    /// The fragment for the value of a column by its name; without a value if it is MISSING or there is no such column.
    public subscript(key: String) -> Fragment { Fragment(value: value(forKey: key)) }

    /// Returns an iterator over ``keys``, the names of the columns with a value.
    public func makeIterator() -> IndexingIterator<[String]> { keys.makeIterator() }
}

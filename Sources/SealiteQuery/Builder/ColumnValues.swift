public import Foundation
public import SealiteDatabase
internal import SealiteQueryLanguage

/// A row of values, which are also available in Foundation's types.
public protocol ColumnValues {
    /// Returns the value of a column by its position, from 0; nil if it has none.
    func value(at index: Int) -> Value?
    /// Returns the value of a column by its name; nil if it has none.
    func value(forKey key: String) -> Value?
    /// Returns the values of all columns.
    func toArray() -> [Value]
    /// Returns the values by the names of their columns.
    func toDictionary() -> DictionaryObject
}

extension ColumnValues {
    /// Returns the value of a column by its position, from 0: text, `NSNumber`, `Bool`, `NSNull`, `Blob`, `ArrayObject`
    /// or `DictionaryObject`; nil if it has none.
    public func value(at index: Int) -> Any? { (value(at: index) as Value?).map { FoundationValue.any($0) } }

    /// Returns the value of a column by its name: text, `NSNumber`, `Bool`, `NSNull`, `Blob`, `ArrayObject` or
    /// `DictionaryObject`; nil if it has none.
    public func value(forKey key: String) -> Any? { (value(forKey: key) as Value?).map { FoundationValue.any($0) } }

    /// Returns the number in a column by its position, from 0; nil for a value of any other type.
    public func number(at index: Int) -> NSNumber? {
        (value(at: index) as Value?)?.number.map { FoundationValue.number($0) }
    }

    /// Returns the number in a column by its name; nil for a value of any other type.
    public func number(forKey key: String) -> NSNumber? {
        (value(forKey: key) as Value?)?.number.map { FoundationValue.number($0) }
    }

    /// Returns the values of all columns, with Swift arrays and dictionaries; `NSNull` in place of MISSING.
    public func toArray() -> [Any] { (toArray() as [Value]).map { FoundationValue.plain($0) } }

    /// Returns the values by the names of their columns, with Swift arrays and dictionaries, and without columns that
    /// are MISSING.
    public func toDictionary() -> [String: Any] { FoundationValue.plain(toDictionary() as DictionaryObject) }
}

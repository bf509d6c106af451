public import Foundation
public import SealiteDatabase
internal import SealiteQueryLanguage

/// A row of a query's result, whose values are also available in Foundation's types.
public protocol ColumnValues {
    /// Returns the value of a column by its position, from 0; nil if the value is MISSING or there is no such column.
    func value(at index: Int) -> Value?
    /// Returns the value of a column by its name; nil if the value is MISSING or there is no such column.
    func value(forKey key: String) -> Value?
    /// Returns the values of all columns in their order; NULL in place of MISSING.
    func toArray() -> [Value]
    /// Returns the values by the names of their columns, without columns that are MISSING.
    func toDictionary() -> DictionaryObject
}

extension ColumnValues {
    /// Returns the value of a column by its position, from 0: text, `NSNumber`, `Bool`, `NSNull`, `Blob`, `ArrayObject`
    /// or `DictionaryObject`; nil if the value is MISSING or there is no such column.
    public func value(at index: Int) -> Any? { (value(at: index) as Value?).map { FoundationValue.any($0) } }

    /// Returns the value of a column by its name: text, `NSNumber`, `Bool`, `NSNull`, `Blob`, `ArrayObject` or
    /// `DictionaryObject`; nil if the value is MISSING or there is no such column.
    public func value(forKey key: String) -> Any? { (value(forKey: key) as Value?).map { FoundationValue.any($0) } }

    /// Returns the number in a column by its position, from 0; nil for a value of any other type, and if there is no
    /// such column.
    public func number(at index: Int) -> NSNumber? {
        (value(at: index) as Value?)?.number.map { FoundationValue.number($0) }
    }

    /// Returns the number in a column by its name; nil for a value of any other type, and if there is no such column.
    public func number(forKey key: String) -> NSNumber? {
        (value(forKey: key) as Value?)?.number.map { FoundationValue.number($0) }
    }

    /// Returns the values of all columns in their order, in Foundation's types and with Swift arrays and dictionaries;
    /// `NSNull` in place of NULL and MISSING.
    public func toArray() -> [Any] { (toArray() as [Value]).map { FoundationValue.plain($0) } }

    /// Returns the values by the names of their columns, in Foundation's types and with Swift arrays and dictionaries;
    /// without columns that are MISSING.
    public func toDictionary() -> [String: Any] { FoundationValue.plain(toDictionary() as DictionaryObject) }
}

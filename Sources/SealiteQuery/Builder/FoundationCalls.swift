public import Foundation
public import SealiteDatabase
internal import SealiteQueryLanguage

// Calls with the types of Couchbase Lite's Swift API, in addition to those with `Value` and `Number`, which the
// compiler prefers if both fit.

extension Expression {
    /// Returns a value of any type that JSON can express: text, numbers, `Bool`, `Date`, `NSNull`, `Blob`, and arrays
    /// and dictionaries of them; nil is NULL. Any other value is an error of the query that contains the expression.
    @_disfavoredOverload
    public static func value(_ value: Any?) -> any ExpressionProtocol { BuiltExpression(any: value) }
    /// Returns a number, or NULL.
    @_disfavoredOverload
    public static func number(_ value: NSNumber?) -> any ExpressionProtocol { BuiltExpression(any: value) }
    /// Returns an object of the values that ``value(_:)-(Any?)`` accepts, or NULL.
    @_disfavoredOverload
    public static func dictionary(_ value: [String: Any]?) -> any ExpressionProtocol { BuiltExpression(any: value) }
    /// Returns an array of the values that ``value(_:)-(Any?)`` accepts, or NULL.
    @_disfavoredOverload
    public static func array(_ value: [Any]?) -> any ExpressionProtocol { BuiltExpression(any: value) }
}

extension BuiltExpression {
    /// Creates a literal of a value of any type, or one that is an error.
    fileprivate init(any value: Any?) {
        do {
            self.init(Expression.literal(try FoundationValue.value(value)))
        } catch {
            self.init(.literal(.unusable(error.reason)))
        }
    }
}

extension Parameters {
    /// Sets a parameter to a value of any type that JSON can express; nil is NULL. A value of another type is an error
    /// when the query is executed.
    @_disfavoredOverload @discardableResult
    public func setValue(_ value: Any?, forName name: String) -> Parameters {
        do {
            return setValue(try FoundationValue.value(value) as Value?, forName: name)
        } catch {
            return setUnusable(error.reason, forName: name)
        }
    }

    /// Sets a parameter to a number, or to NULL.
    @_disfavoredOverload @discardableResult
    public func setNumber(_ value: NSNumber?, forName name: String) -> Parameters {
        setValue(value as Any?, forName: name)
    }
}

// Results of these types come from protocols, so that the methods of the types themselves are preferred unless the
// context requires these types.

/// A source of named values, which are also available in Foundation's types.
public protocol NamedValues {
    /// Returns a value; nil if there is none.
    func value(forName name: String) -> Value?
}

extension NamedValues {
    /// Returns a value: text, `NSNumber`, `Bool`, `NSNull`, `Blob`, `ArrayObject` or `DictionaryObject`; nil if there
    /// is none.
    public func value(forName name: String) -> Any? {
        (value(forName: name) as Value?).map { FoundationValue.any($0) }
    }
}

extension Parameters: NamedValues {}

/// A row of values, which are also available in Foundation's types.
public protocol ColumnValues {
    /// Returns the value of a column by its position; nil if it has none.
    func value(at index: Int) -> Value?
    /// Returns the value of a column by its name; nil if it has none.
    func value(forKey key: String) -> Value?
    /// Returns the values of all columns.
    func toArray() -> [Value]
    /// Returns the values by the names of their columns.
    func toDictionary() -> DictionaryObject
}

extension ColumnValues {
    /// Returns the value of a column by its position: text, `NSNumber`, `Bool`, `NSNull`, `Blob`, `ArrayObject` or
    /// `DictionaryObject`; nil if it has none.
    public func value(at index: Int) -> Any? { (value(at: index) as Value?).map { FoundationValue.any($0) } }

    /// Returns the value of a column by its name: text, `NSNumber`, `Bool`, `NSNull`, `Blob`, `ArrayObject` or
    /// `DictionaryObject`; nil if it has none.
    public func value(forKey key: String) -> Any? { (value(forKey: key) as Value?).map { FoundationValue.any($0) } }

    /// Returns the number in a column; nil for any other type.
    public func number(at index: Int) -> NSNumber? {
        (value(at: index) as Value?)?.number.map { FoundationValue.number($0) }
    }

    /// Returns the number in a column by its name; nil for any other type.
    public func number(forKey key: String) -> NSNumber? {
        (value(forKey: key) as Value?)?.number.map { FoundationValue.number($0) }
    }

    /// Returns the values of all columns, with Swift arrays and dictionaries; `NSNull` in place of MISSING.
    public func toArray() -> [Any] { (toArray() as [Value]).map { FoundationValue.plain($0) } }

    /// Returns the values by the names of their columns, with Swift arrays and dictionaries, and without columns that
    /// are MISSING.
    public func toDictionary() -> [String: Any] { FoundationValue.plain(toDictionary() as DictionaryObject) }
}

extension Result: ColumnValues {}

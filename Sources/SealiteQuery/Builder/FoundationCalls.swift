public import Foundation
public import SealiteDatabase
internal import SealiteQueryLanguage

// Calls with the types of Couchbase Lite's Swift API, beside those that are written out in `Value` and `Number`: code that compiles with those
// gets them.

extension Expression {
    /// A value of any type that JSON has: text, numbers, `Bool`, `Date`, `NSNull`, `Blob`, arrays and dictionaries of them; nil is NULL. Anything else is
    /// an error of the query that the expression is in.
    @_disfavoredOverload
    public static func value(_ value: Any?) -> any ExpressionProtocol { BuiltExpression(any: value) }
    /// A number, or NULL.
    @_disfavoredOverload
    public static func number(_ value: NSNumber?) -> any ExpressionProtocol { BuiltExpression(any: value) }
    /// An object of values as ``value(_:)-(Any?)`` takes them, or NULL.
    @_disfavoredOverload
    public static func dictionary(_ value: [String: Any]?) -> any ExpressionProtocol { BuiltExpression(any: value) }
    /// An array of values as ``value(_:)-(Any?)`` takes them, or NULL.
    @_disfavoredOverload
    public static func array(_ value: [Any]?) -> any ExpressionProtocol { BuiltExpression(any: value) }
}

extension BuiltExpression {
    /// A literal of a value of any type, or one that is an error.
    fileprivate init(any value: Any?) {
        do {
            self.init(Expression.literal(try FoundationValue.value(value)))
        } catch {
            self.init(.literal(.unusable(error.reason)))
        }
    }
}

extension Parameters {
    /// Sets a parameter to a value of any type that JSON has; nil is NULL. A value of another type is an error when the query is executed.
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

// Results of these types come from protocols: where nothing asks for them, the calls of the types themselves are taken.

/// A source of values by names, which are also given in Foundation's types.
public protocol NamedValues {
    /// Returns a value; nil where there is none.
    func value(forName name: String) -> Value?
}

extension NamedValues {
    /// Returns a value: text, `NSNumber`, `Bool`, `NSNull`, `Blob`, `ArrayObject` or `DictionaryObject`; nil where there is none.
    public func value(forName name: String) -> Any? {
        (value(forName: name) as Value?).map { FoundationValue.any($0) }
    }
}

extension Parameters: NamedValues {}

/// A row of values, which are also given in Foundation's types.
public protocol ColumnValues {
    /// Returns the value of a column by its position; nil where it has none.
    func value(at index: Int) -> Value?
    /// Returns the value of a column by its name; nil where it has none.
    func value(forKey key: String) -> Value?
    /// Returns the values of all columns.
    func toArray() -> [Value]
    /// Returns the values by the names of their columns.
    func toDictionary() -> DictionaryObject
}

extension ColumnValues {
    /// Returns the value of a column: text, `NSNumber`, `Bool`, `NSNull`, `Blob`, `ArrayObject` or `DictionaryObject`; nil where it has none.
    public func value(at index: Int) -> Any? { (value(at: index) as Value?).map { FoundationValue.any($0) } }

    /// Returns the value of a column by its name, as the other does by its position.
    public func value(forKey key: String) -> Any? { (value(forKey: key) as Value?).map { FoundationValue.any($0) } }

    /// The number of a column; nil for anything else.
    public func number(at index: Int) -> NSNumber? {
        (value(at: index) as Value?)?.number.map { FoundationValue.number($0) }
    }

    /// The number of a column by its name; nil for anything else.
    public func number(forKey key: String) -> NSNumber? {
        (value(forKey: key) as Value?)?.number.map { FoundationValue.number($0) }
    }

    /// The values of all columns, arrays and dictionaries of Swift among them; `NSNull` in the place of MISSING.
    public func toArray() -> [Any] { (toArray() as [Value]).map { FoundationValue.plain($0) } }

    /// The values by the names of their columns, arrays and dictionaries of Swift among them, without those that are MISSING.
    public func toDictionary() -> [String: Any] { FoundationValue.plain(toDictionary() as DictionaryObject) }
}

extension Result: ColumnValues {}

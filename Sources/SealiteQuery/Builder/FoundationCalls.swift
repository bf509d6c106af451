public import Foundation
internal import SealiteDatabase
internal import SealiteQueryLanguage

// Calls with the types of Couchbase Lite's Swift API, in addition to the calls with `Value` and `Number`, which the
// compiler prefers if both fit.

extension Expression {
    /// Returns an expression for a constant of any type that JSON can express: text, numbers, `Bool`, `Date`, `NSNull`,
    /// `Blob`, and arrays and dictionaries of them; NULL for nil. With any other value, the query that contains the
    /// expression fails when it is run.
    @_disfavoredOverload
    public static func value(_ value: Any?) -> any ExpressionProtocol { BuiltExpression(any: value) }
    /// Returns an expression for a number constant; NULL for nil.
    @_disfavoredOverload
    public static func number(_ value: NSNumber?) -> any ExpressionProtocol { BuiltExpression(any: value) }
    /// Returns an expression for an object constant, whose values are of the types that ``value(_:)-(Any?)`` accepts;
    /// NULL for nil.
    @_disfavoredOverload
    public static func dictionary(_ value: [String: Any]?) -> any ExpressionProtocol { BuiltExpression(any: value) }
    /// Returns an expression for an array constant, whose values are of the types that ``value(_:)-(Any?)`` accepts;
    /// NULL for nil.
    @_disfavoredOverload
    public static func array(_ value: [Any]?) -> any ExpressionProtocol { BuiltExpression(any: value) }
}

extension BuiltExpression {
    /// Creates the expression for a constant of any type. If a query can't contain the value, the expression makes the
    /// translation of the query fail.
    fileprivate init(any value: Any?) {
        do {
            self.init(Expression.literal(try FoundationValue.value(value)))
        } catch {
            self.init(.literal(.unusable(error.reason)))
        }
    }
}

extension Parameters {
    /// Sets a parameter to a value of any type that JSON can express; nil is NULL. With a value of another type,
    /// executing the query fails.
    @_disfavoredOverload @discardableResult
    public func setValue(_ value: Any?, forName name: String) -> Parameters {
        do {
            return setValue(try FoundationValue.value(value) as Value?, forName: name)
        } catch {
            return setUnusable(error.reason, forName: name)
        }
    }

    /// Sets a parameter to a number; nil is NULL.
    @_disfavoredOverload @discardableResult
    public func setNumber(_ value: NSNumber?, forName name: String) -> Parameters {
        setValue(value as Any?, forName: name)
    }
}

extension Parameters: NamedValues {}

extension Result: ColumnValues {}

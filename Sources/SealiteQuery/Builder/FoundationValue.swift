public import Foundation
public import SealiteDatabase
internal import SealiteQueryLanguage

/// Converts values of queries to and from the Swift and Foundation types of Couchbase Lite's API.
enum FoundationValue {
    /// The maximum nesting depth of arrays, dictionaries and optionals in a value that is converted.
    private static let nesting = 100

    /// Returns the query value for a value of any type that JSON can express; NULL for nil.
    static func value(_ given: Any?) throws(UnusableValue) -> Value { try value(given, depth: 0) }

    private static func value(_ given: Any?, depth: Int) throws(UnusableValue) -> Value {
        guard let given else { return .null }
        guard depth <= nesting else {
            throw UnusableValue(
                reason: "a value is nested in more than \(nesting) arrays, dictionaries and optionals")
        }
        switch given {
        case let value as Value: return value
        case is NSNull: return .null
        case let text as String: return .string(text)
        case let text as Substring: return .string(String(text))
        case let number as Number: return .number(number)
        case let date as Date: return .date(date)
        case let blob as Blob: return .blob(blob)
        case let array as ArrayObject: return .array(array)
        case let members as DictionaryObject: return .dictionary(members)
        case let number as NSNumber: return try value(number)
        case let items as [Any]:
            var array = ArrayObject()
            for item in items { array.append(try value(item, depth: depth + 1)) }
            return .array(array)
        case let members as [String: Any]:
            var object = DictionaryObject()
            for (key, member) in members.sorted(by: { $0.key < $1.key }) {
                object[key] = try value(member, depth: depth + 1)
            }
            return .dictionary(object)
        default: break
        }
        let mirror = Mirror(reflecting: given)
        guard mirror.displayStyle == .optional else {
            throw UnusableValue(reason: "a value of the type \(type(of: given)) can't be expressed in JSON")
        }
        return try value(mirror.children.first?.value, depth: depth + 1)
    }

    private static func value(_ number: NSNumber) throws(UnusableValue) -> Value {
        if number is NSDecimalNumber {
            return .number(try finite(Number(json: number.stringValue)))
        }
        switch unsafe number.objCType.pointee {
        case CChar(0x63), CChar(0x42): return .boolean(number.boolValue)
        case CChar(0x64): return .number(try finite(Number(json: number.doubleValue.description)))
        case CChar(0x66): return .number(try finite(Number(json: number.floatValue.description)))
        case CChar(0x51): return Value(number.uint64Value)
        default: return Value(number.int64Value)
        }
    }

    private static func finite(_ number: Number?) throws(UnusableValue) -> Number {
        guard let number else {
            throw UnusableValue(reason: "a number is infinite or NaN, which JSON can't express")
        }
        return number
    }

    /// Returns the value in Couchbase Lite's types: `NSNull`, `Bool`, `NSNumber`, `String`, `Blob`, `ArrayObject` or
    /// `DictionaryObject`.
    static func any(_ value: Value) -> Any {
        switch value {
        case .null: NSNull()
        case .boolean(let flag): flag
        case .number(let number): self.number(number)
        case .string(let text): text
        case .array(let array): array
        case .dictionary(let members): members
        case .blob(let blob): blob
        }
    }

    /// Returns the value in Couchbase Lite's types, but with Swift arrays and dictionaries.
    static func plain(_ value: Value) -> Any {
        switch value {
        case .array(let array): array.map(plain)
        case .dictionary(let members): plain(members)
        default: any(value)
        }
    }

    /// Returns an object as a Swift dictionary, whose values are in Couchbase Lite's types or Swift arrays and
    /// dictionaries.
    static func plain(_ members: DictionaryObject) -> [String: Any] {
        Dictionary(members.entries.map { ($0.key, plain($0.value)) }, uniquingKeysWith: { $1 })
    }

    /// Returns a number as an `NSNumber`: an integer if it is a 64-bit integer, signed or unsigned, otherwise the
    /// nearest double.
    static func number(_ number: Number) -> NSNumber {
        if let integer = number.exactInt64 { return NSNumber(value: integer) }
        if let integer = number.exactUInt64 { return NSNumber(value: integer) }
        return NSNumber(value: number.doubleValue)
    }
}

// Calls with the types of Couchbase Lite's Swift API, in addition to the calls with `Value` and `Number`, which the
// compiler prefers if both fit.

extension Expression {
    /// Returns an expression for a constant of any type that JSON can express: text, numbers, `Bool`, `Date`, `NSNull`,
    /// `Blob`, and arrays and dictionaries of them; NULL for nil. With any other value, the query that contains the
    /// expression fails when it is run.
    @_disfavoredOverload
    public static func value(_ value: Any?) -> Expression { any(value) }
    /// Returns an expression for a number constant; NULL for nil.
    @_disfavoredOverload
    public static func number(_ value: NSNumber?) -> Expression { any(value) }
    /// Returns an expression for an object constant, whose values are of the types that ``value(_:)-(Any?)`` accepts;
    /// NULL for nil.
    @_disfavoredOverload
    public static func dictionary(_ value: [String: Any]?) -> Expression { any(value) }
    /// Returns an expression for an array constant, whose values are of the types that ``value(_:)-(Any?)`` accepts;
    /// NULL for nil.
    @_disfavoredOverload
    public static func array(_ value: [Any]?) -> Expression { any(value) }

    private static func any(_ value: Any?) -> Expression {
        do {
            return Expression(literal(try FoundationValue.value(value)))
        } catch {
            return Expression(.literal(.unusable(error.reason)))
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

// Results of these types are declared in protocols, so that the compiler prefers the methods of the concrete types
// unless the context requires these types.

/// A set of named values, which are also available in Foundation's types.
public protocol NamedValues {
    /// Returns the value with a name; nil if there is none.
    func value(forName name: String) -> Value?
}

extension NamedValues {
    /// Returns the value with a name: text, `NSNumber`, `Bool`, `NSNull`, `Blob`, `ArrayObject` or `DictionaryObject`;
    /// nil if there is none.
    public func value(forName name: String) -> Any? { (value(forName: name) as Value?).map { FoundationValue.any($0) } }
}

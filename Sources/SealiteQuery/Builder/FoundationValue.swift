internal import Foundation
internal import SealiteDatabase
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

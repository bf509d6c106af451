public import FoundationEssentials

/// A container of named properties: a document or a dictionary.
///
/// The typed getters follow Couchbase Lite: for a missing property a getter returns 0, false or nil, and so it does for
/// one of another type, except that `boolean(forKey:)` returns true for every value but false, 0 and null, and that the
/// getters of Swift's number types return 1 for true. `contains(key:)` distinguishes a missing property.
public protocol PropertyContainer {
    /// The names of the properties, in their stored order.
    var keys: [String] { get }
    /// The number of properties.
    var count: Int { get }
    /// Returns the value of a property, nil if there is no such property.
    func value(forKey key: String) -> Value?
}

extension PropertyContainer {
    /// Returns whether there is a property with a name, even if its value is null.
    public func contains(key: String) -> Bool { value(forKey: key) != nil }

    /// Returns a text property; nil if it is missing or of any other type.
    public func string(forKey key: String) -> String? { value(forKey: key)?.string }

    /// Returns a number property in its exact form; nil if it is missing or of any other type.
    public func number(forKey key: String) -> Number? { value(forKey: key)?.number }

    /// Returns a number property as an integer, truncated and clamped; 1 for true, 0 if it is missing or of any other
    /// type.
    public func int(forKey key: String) -> Int { value(forKey: key)?.int ?? 0 }

    /// Returns a number property as a 64-bit integer, truncated and clamped; 1 for true, 0 if it is missing or of any
    /// other type.
    public func int64(forKey key: String) -> Int64 { value(forKey: key)?.int64 ?? 0 }

    /// Returns a number property as the nearest double, in single precision; 1 for true, 0 if it is missing or of any
    /// other type.
    public func float(forKey key: String) -> Float { value(forKey: key)?.float ?? 0 }

    /// Returns a number property as the nearest double; 1 for true, 0 if it is missing or of any other type.
    public func double(forKey key: String) -> Double { value(forKey: key)?.double ?? 0 }

    /// Returns a property as a Boolean: false if it is missing, false, 0 or null, true for every other value.
    public func boolean(forKey key: String) -> Bool { value(forKey: key)?.boolean ?? false }

    /// Returns a date property in either stored form (``ValueForm``); nil if it is missing or any other value.
    public func date(forKey key: String) -> Date? { value(forKey: key)?.date }

    /// Returns a property of bytes in either stored form (``ValueForm``); nil if it is missing or any other value, also a
    /// blob.
    public func data(forKey key: String) -> Data? { value(forKey: key)?.data }

    /// Returns a UUID property in either stored form (``ValueForm``); nil if it is missing or any other value.
    public func uuid(forKey key: String) -> UUID? { value(forKey: key)?.uuid }

    /// Returns a blob property; nil if it is missing or of any other type.
    public func blob(forKey key: String) -> Blob? { value(forKey: key)?.blob }

    /// Returns an array property; nil if it is missing or of any other type.
    public func array(forKey key: String) -> ArrayObject? { value(forKey: key)?.array }

    /// Returns a dictionary property; nil if it is missing or of any other type.
    public func dictionary(forKey key: String) -> DictionaryObject? { value(forKey: key)?.dictionary }
}

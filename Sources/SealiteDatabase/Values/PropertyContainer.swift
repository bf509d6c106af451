public import FoundationEssentials

/// A container of named properties: a document or a dictionary.
///
/// The typed getters follow Couchbase Lite: for a missing property, or one of another type, a getter returns 0, false
/// or nil; `contains(key:)` distinguishes a missing property.
public protocol PropertyContainer {
    /// The names of the properties, in their stored order.
    var keys: [String] { get }
    /// The number of properties.
    var count: Int { get }
    /// Returns a property, nil if there is none.
    func value(forKey key: String) -> Value?
}

extension PropertyContainer {
    /// Returns whether there is a property with a name, even if its value is null.
    public func contains(key: String) -> Bool { value(forKey: key) != nil }

    /// Returns a text property, nil for any other type.
    public func string(forKey key: String) -> String? { value(forKey: key)?.string }

    /// Returns a number property, nil for any other type.
    public func number(forKey key: String) -> Number? { value(forKey: key)?.number }

    /// Returns an integer property; see ``Value/int64``.
    public func int(forKey key: String) -> Int { value(forKey: key)?.int ?? 0 }

    /// Returns an integer property; see ``Value/int64``.
    public func int64(forKey key: String) -> Int64 { value(forKey: key)?.int64 ?? 0 }

    /// Returns a floating-point property; see ``Value/double``.
    public func float(forKey key: String) -> Float { value(forKey: key)?.float ?? 0 }

    /// Returns a floating-point property; see ``Value/double``.
    public func double(forKey key: String) -> Double { value(forKey: key)?.double ?? 0 }

    /// Returns a property as a Boolean; see ``Value/boolean``.
    public func boolean(forKey key: String) -> Bool { value(forKey: key)?.boolean ?? false }

    /// Returns a date property, stored as ISO 8601 text; nil for any other type or text.
    public func date(forKey key: String) -> Date? { value(forKey: key)?.date }

    /// Returns a blob property, nil for any other type.
    public func blob(forKey key: String) -> Blob? { value(forKey: key)?.blob }

    /// Returns an array property, nil for any other type.
    public func array(forKey key: String) -> ArrayObject? { value(forKey: key)?.array }

    /// Returns a dictionary property, nil for any other type.
    public func dictionary(forKey key: String) -> DictionaryObject? { value(forKey: key)?.dictionary }
}

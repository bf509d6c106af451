public import FoundationEssentials

/// What has named properties to read: documents and dictionaries.
///
/// The typed getters follow Couchbase Lite: a missing property, or one of another kind, reads as 0, false or nil;
/// `contains(key:)` tells a missing one apart.
public protocol PropertyContainer {
    /// The names of the properties, in their stored order.
    var keys: [String] { get }
    /// How many properties there are.
    var count: Int { get }
    /// A property, nil where there is none.
    func value(forKey key: String) -> Value?
}

extension PropertyContainer {
    /// Whether there is a property of this name, null or not.
    public func contains(key: String) -> Bool { value(forKey: key) != nil }

    /// A text property, nil for anything else.
    public func string(forKey key: String) -> String? { value(forKey: key)?.string }

    /// A number property, nil for anything else.
    public func number(forKey key: String) -> Number? { value(forKey: key)?.number }

    /// An integer property; see ``Value/int64``.
    public func int(forKey key: String) -> Int { value(forKey: key)?.int ?? 0 }

    /// An integer property; see ``Value/int64``.
    public func int64(forKey key: String) -> Int64 { value(forKey: key)?.int64 ?? 0 }

    /// A floating-point property; see ``Value/double``.
    public func float(forKey key: String) -> Float { value(forKey: key)?.float ?? 0 }

    /// A floating-point property; see ``Value/double``.
    public func double(forKey key: String) -> Double { value(forKey: key)?.double ?? 0 }

    /// The truth of a property; see ``Value/boolean``.
    public func boolean(forKey key: String) -> Bool { value(forKey: key)?.boolean ?? false }

    /// A date property, kept as ISO 8601 text; nil for anything else.
    public func date(forKey key: String) -> Date? { value(forKey: key)?.date }

    /// A blob property, nil for anything else.
    public func blob(forKey key: String) -> Blob? { value(forKey: key)?.blob }

    /// An array property, nil for anything else.
    public func array(forKey key: String) -> ArrayObject? { value(forKey: key)?.array }

    /// A dictionary property, nil for anything else.
    public func dictionary(forKey key: String) -> DictionaryObject? { value(forKey: key)?.dictionary }
}

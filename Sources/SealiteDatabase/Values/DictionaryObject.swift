public import FoundationEssentials
internal import SealiteJSON

/// A JSON object: members in the order in which they were added, with unique names. This is a value type: changing a
/// copy doesn't change the original, so a nested dictionary is changed through subscripts or set again.
///
/// Names are compared by their bytes, as in JSON: "é" as one Unicode scalar and "é" as two Unicode scalars are
/// different names.
public struct DictionaryObject: Sendable, Hashable, PropertyContainer, ExpressibleByDictionaryLiteral {
    /// The number of members from which on members are found by the hashes of their names.
    private static let indexThreshold = 16

    private var members: [(key: String, value: Value)] = []
    private var index: [ExactText: Int] = [:]

    /// Creates an empty dictionary.
    public init() {}

    /// Creates a dictionary with members; if a key occurs twice, the last value counts.
    public init(_ members: some Sequence<(String, Value)>) {
        for (key, value) in members { self[key] = value }
    }

    /// Creates a dictionary from a literal; if a key occurs twice, the last value counts.
    public init(dictionaryLiteral elements: (String, Value)...) { self.init(elements) }

    mutating func reserveCapacity(_ count: Int) { members.reserveCapacity(count) }

    /// Adds a member whose name is known to be new.
    mutating func append(_ key: String, _ value: Value) {
        members.append((key, value))
        if members.count == Self.indexThreshold {
            for (position, member) in members.enumerated() { index[ExactText(member.key)] = position }
        } else if members.count > Self.indexThreshold {
            index[ExactText(key)] = members.count - 1
        }
    }

    private func position(_ key: String) -> Int? {
        members.count < Self.indexThreshold
            ? members.firstIndex { ExactText.areSame($0.key, key) } : index[ExactText(key)]
    }

    /// The names of the members, in the order of the members.
    public var keys: [String] { members.map(\.key) }

    /// The number of members.
    public var count: Int { members.count }

    /// The members, in the order in which they were added.
    public var entries: [(key: String, value: Value)] { members }

    /// Returns the value of a member, nil if there is none.
    public func value(forKey key: String) -> Value? { position(key).map { members[$0].value } }

    /// The value of a member, nil if there is none; setting nil removes the member.
    public subscript(key: String) -> Value? {
        get { value(forKey: key) }
        set {
            guard let newValue else { return removeValue(forKey: key) }
            if let position = position(key) {
                members[position].value = newValue
            } else {
                append(key, newValue)
            }
        }
    }

    /// Sets the value of a member, which is added if there is none.
    public mutating func setValue(_ value: Value, forKey key: String) { self[key] = value }

    /// Removes a member, if there is one.
    public mutating func removeValue(forKey key: String) {
        guard let position = position(key) else { return }
        members.remove(at: position)
        guard !index.isEmpty else { return }
        index.removeAll(keepingCapacity: true)
        guard members.count >= Self.indexThreshold else { return }
        for (position, member) in members.enumerated() { index[ExactText(member.key)] = position }
    }

    /// Returns whether two dictionaries have the same members, in any order.
    public static func == (left: DictionaryObject, right: DictionaryObject) -> Bool {
        left.count == right.count && left.members.allSatisfy { right.value(forKey: $0.key) == $0.value }
    }

    /// Hashes the members, independent of their order.
    public func hash(into hasher: inout Hasher) {
        var combined = 0
        for member in members {
            var one = Hasher()
            one.combine(member.key)
            one.combine(member.value)
            combined ^= one.finalize()
        }
        hasher.combine(combined)
    }
}

/// A JSON array. This is a value type, like Swift's arrays.
public struct ArrayObject: Sendable, Hashable, ExpressibleByArrayLiteral, RandomAccessCollection, MutableCollection,
    RangeReplaceableCollection
{
    private var items: [Value] = []

    /// Creates an empty array.
    public init() {}

    /// Creates an array of items.
    public init(_ items: some Sequence<Value>) { self.items = Array(items) }

    /// Creates an array from a literal.
    public init(arrayLiteral elements: Value...) { items = elements }

    /// The first position, 0.
    public var startIndex: Int { 0 }
    /// The position after the last item, which is the number of items.
    public var endIndex: Int { items.count }

    /// The item at a position, which must be within the array.
    public subscript(position: Int) -> Value {
        get { items[position] }
        set { items[position] = newValue }
    }

    /// Replaces the items of a range.
    public mutating func replaceSubrange(_ range: Range<Int>, with new: some Swift.Collection<Value>) {
        items.replaceSubrange(range, with: new)
    }
}

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

/// A JSONB object that is read and changed at its first level without being decoded (`JSONBEdit`): the cost depends on
/// its size in bytes, not on the number of values in it.
package struct JSONBObject: Sendable {
    /// The bytes of the object in JSONB.
    private(set) var bytes: [UInt8]

    /// Creates an object from bytes that are known to be JSONB.
    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Creates an object from the text of a JSON object in UTF-8.
    ///
    /// - Throws: `invalidJSON`.
    package init(json: [UInt8]) throws { bytes = try JSONParser.parse(json) }

    private func member(_ key: String) -> JSONBElement? { JSONBEdit.find(CollectionOfOne(.member(key)), in: bytes) }

    /// Returns the value of a member; nil if there is none. Blobs in it are those of `database`.
    func value(forKey key: String, database: Database?) -> Value? {
        member(key).flatMap { Value($0, in: bytes, database: database) }
    }

    /// Returns the value of a member, nil if there is none. For an array or an object the result is an empty one,
    /// without its content.
    package func scalar(forKey key: String) -> Value? {
        guard let value = member(key) else { return nil }
        switch value.type {
        case JSONBType.array: return .array(ArrayObject())
        case JSONBType.object: return .dictionary(DictionaryObject())
        default: return Value(value, in: bytes, database: nil)
        }
    }

    /// Sets a member to null, a Boolean, a number or a text. An existing member keeps its position; a new one is added
    /// at the end.
    ///
    /// - Returns: false, with nothing changed, for any other value and for a number that JSON can't express.
    mutating func set(_ value: Value, forKey key: String) -> Bool {
        switch value {
        case .array, .dictionary, .blob: return false
        default: break
        }
        var element = JSONBWriter()
        guard (try? element.value(value)) != nil,
            let changed = JSONBEdit.set(element.bytes, at: [.member(key)], in: bytes)
        else { return false }
        bytes = changed
        return true
    }

    /// Removes a member, if there is one.
    package mutating func remove(_ key: String) {
        bytes = JSONBEdit.remove(at: [.member(key)], in: bytes) ?? bytes
    }
}

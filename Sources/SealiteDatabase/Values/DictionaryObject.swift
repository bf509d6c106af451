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

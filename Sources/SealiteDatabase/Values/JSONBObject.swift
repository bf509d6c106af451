internal import SealiteJSON

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

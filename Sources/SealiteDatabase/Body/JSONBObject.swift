internal import SealiteJSON

/// A JSONB object that is read and changed at its first level without being taken apart (`JSONBEdit`): what it costs goes by its size,
/// not by what is in it.
package struct JSONBObject: Sendable {
    /// The object in JSONB.
    private(set) var bytes: [UInt8]

    /// The object of bytes that are known to be JSONB.
    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The object of a JSON text in UTF-8.
    ///
    /// - Throws: `invalidJSON`.
    package init(json: [UInt8]) throws { bytes = try JSONParser.parse(json) }

    private func member(_ key: String) -> JSONBElement? { JSONBEdit.find(CollectionOfOne(.member(key)), in: bytes) }

    /// A member; nil where there is none.
    func value(forKey key: String, database: Database?) -> Value? {
        member(key).flatMap { Value($0, in: bytes, database: database) }
    }

    /// A member, nil where there is none; of an array or an object only that it is one, without what is in it.
    package func scalar(forKey key: String) -> Value? {
        guard let value = member(key) else { return nil }
        switch value.type {
        case JSONBType.array: return .array(ArrayObject())
        case JSONBType.object: return .dictionary(DictionaryObject())
        default: return Value(value, in: bytes, database: nil)
        }
    }

    /// Sets a member to null, truth, a number or text, in its place or at the end.
    ///
    /// - Returns: false, and nothing is changed, for any other value, and for a number that JSON doesn't have.
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

    /// Removes a member, if it is there.
    package mutating func remove(_ key: String) {
        bytes = JSONBEdit.remove(at: [.member(key)], in: bytes) ?? bytes
    }
}

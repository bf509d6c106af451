internal import SealiteJSON

/// A JSONB object that is read and changed at its first level without being taken apart: what it costs goes by its size, not
/// by what is in it.
package struct JSONBObject: Sendable {
    /// The object in JSONB.
    private(set) var bytes: [UInt8]

    /// The object of bytes that are known to be JSONB.
    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The object of a JSON text in UTF-8.
    ///
    /// - Throws: `invalidJSON`.
    package init(json: [UInt8]) throws { bytes = try JSONParser.parse(json) }

    /// A member: where it starts, where its value's header does, and the value.
    private struct Member {
        let start: Int
        let valueStart: Int
        let value: JSONBElement
    }

    private var root: JSONBElement? {
        guard let root = JSONBElement(root: bytes.span), root.type == JSONBType.object else { return nil }
        return root
    }

    private func member(_ key: String, of root: JSONBElement) -> Member? {
        let name = Array(key.utf8)
        let span = bytes.span
        var offset = root.start
        while offset < root.end, let label = JSONBElement(span, at: offset, limit: root.end),
            let value = JSONBElement(span, at: label.end, limit: root.end)
        {
            if label.end - label.start == name.count, label.hasPayload(name.span, in: span) {
                return Member(start: offset, valueStart: label.end, value: value)
            }
            offset = value.end
        }
        return nil
    }

    /// A member; nil where there is none.
    func value(forKey key: String, database: Database?) -> Value? {
        root.flatMap { member(key, of: $0) }.flatMap { Value($0.value, in: bytes, database: database) }
    }

    /// A member, nil where there is none; of an array or an object only that it is one, without what is in it.
    package func scalar(forKey key: String) -> Value? {
        guard let value = root.flatMap({ member(key, of: $0) })?.value else { return nil }
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
        guard let root, (try? element.value(value)) != nil else { return false }
        let found = member(key, of: root)
        var label = JSONBWriter()
        if found == nil { label.string(key) }
        let (start, end) = (found?.valueStart ?? root.end, found?.value.end ?? root.end)
        replace(start..<end, of: root, by: label.bytes + element.bytes)
        return true
    }

    /// Removes a member, if it is there.
    package mutating func remove(_ key: String) {
        guard let root, let found = member(key, of: root) else { return }
        replace(found.start..<found.value.end, of: root, by: [])
    }

    private mutating func replace(_ range: Range<Int>, of root: JSONBElement, by new: [UInt8]) {
        let byteCount = root.end - root.start - range.count + new.count
        var writer = JSONBWriter(capacity: byteCount + 8)
        writer.header(JSONBType.object, byteCount: byteCount)
        writer.raw(bytes.span, root.start, range.lowerBound)
        writer.raw(new.span, 0, new.count)
        writer.raw(bytes.span, range.upperBound, root.end)
        bytes = writer.bytes
    }
}

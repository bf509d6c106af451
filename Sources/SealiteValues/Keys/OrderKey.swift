package import SealiteJSON

/// Keys of values: bytes that compare in MongoDB's order of the values (Documentation/Values.md §4.1); 1, 1.0 and the
/// decimal 1.00 have one key.
///
/// A key is truncated if its output is full. A truncated key keeps its order, but only complete keys show that two
/// values are equal.
package enum OrderKey {
    /// The size in bytes at which a key is truncated, equal to that of `ValueKey`.
    package static let maximumByteCount = ValueKey.maximumByteCount

    /// Appends the key of a value as far as the key fits; `nil` stands for a missing value.
    package static func append(_ value: BSON?, to output: inout OutputSpan<UInt8>) {
        append(tagOf: value?.type ?? .undefined, &output)
        if let value { appendContent(of: value, &output) }
    }

    /// Appends the key of a stored value as far as the key fits; `nil` stands for a missing value.
    ///
    /// - Returns: false if the element isn't valid in a document's stored body; the output is undefined then.
    package static func append(
        _ element: JSONBElement?, in bytes: borrowing Span<UInt8>, to output: inout OutputSpan<UInt8>
    ) -> Bool {
        guard let element else {
            append(tagOf: .undefined, &output)
            return true
        }
        let stored = StoredValue(element, in: bytes)
        return append(stored, element, bytes, depth: 0, &output)
    }

    /// Returns the key of a value, truncated at `maximumByteCount` bytes; `nil` stands for a missing value.
    package static func bytes(of value: BSON?) -> [UInt8] {
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: maximumByteCount) { buffer in
            var output = unsafe OutputSpan(buffer: buffer, initializedCount: 0)
            append(value, to: &output)
            let count = unsafe output.finalize(for: buffer)
            return unsafe Array(UnsafeBufferPointer(rebasing: buffer[..<count]))
        }
    }

    /// Returns the tag, the byte with which the keys of a type start. Types with the same rank in MongoDB's order, such
    /// as all numeric types, have the same tag.
    package static func tag(of type: BSONType) -> UInt8 {
        switch type {
        case .minKey: 0x08
        case .undefined: 0x10
        case .null: 0x18
        case .int32, .int64, .double, .decimal128: 0x20
        case .string, .symbol: 0x28
        case .document: 0x30
        case .array: 0x38
        case .binary: 0x40
        case .objectID: 0x48
        case .bool: 0x50
        case .datetime: 0x58
        case .timestamp: 0x60
        case .regex: 0x68
        case .dbPointer: 0x70
        case .code: 0x78
        case .codeWithScope: 0x80
        case .maxKey: 0x88
        }
    }

    // MARK: - Stored values

    private static func append(
        _ stored: StoredValue, _ element: JSONBElement, _ bytes: borrowing Span<UInt8>, depth: Int,
        _ output: inout OutputSpan<UInt8>
    ) -> Bool {
        guard let type = stored.type else { return false }
        append(tagOf: type, &output)
        return appendContent(of: stored, element, bytes, depth: depth, &output)
    }

    private static func appendContent(
        of stored: StoredValue, _ element: JSONBElement, _ bytes: borrowing Span<UInt8>, depth: Int,
        _ output: inout OutputSpan<UInt8>
    ) -> Bool {
        guard !output.isFull else { return true }
        switch stored {
        case .null: break
        case .bool(let value): put(value ? 1 : 0, &output)
        case .number(let number): append(number.value, &output)
        case .string: append(text: bytes, element.start..<element.end, &output)
        case .wrapped(let value): appendContent(of: value, &output)
        case .array where depth < JSONB.maximumDepth:
            return appendItems(of: element, bytes, depth: depth + 1, &output)
        case .document where depth < JSONB.maximumDepth:
            return appendMembers(of: element, bytes, depth: depth + 1, &output)
        case .array, .document, .damaged: return false
        }
        return true
    }

    private static func appendItems(
        of array: JSONBElement, _ bytes: borrowing Span<UInt8>, depth: Int, _ output: inout OutputSpan<UInt8>
    ) -> Bool {
        var offset = array.start
        while offset < array.end, !output.isFull {
            guard let item = JSONBElement(bytes, at: offset, limit: array.end),
                append(StoredValue(item, in: bytes), item, bytes, depth: depth, &output)
            else { return false }
            offset = item.end
        }
        put(0, &output)
        return true
    }

    private static func appendMembers(
        of object: JSONBElement, _ bytes: borrowing Span<UInt8>, depth: Int, _ output: inout OutputSpan<UInt8>
    ) -> Bool {
        var offset = object.start
        while offset < object.end, !output.isFull {
            guard let member = ObjectMember(bytes, at: offset, limit: object.end), member.name.isString else {
                return false
            }
            let stored = StoredValue(member.value, in: bytes)
            guard let type = stored.type else { return false }
            append(tagOf: type, &output)
            append(text: bytes, member.name.start..<member.name.end, &output)
            guard appendContent(of: stored, member.value, bytes, depth: depth, &output) else { return false }
            offset = member.value.end
        }
        put(0, &output)
        return true
    }
}

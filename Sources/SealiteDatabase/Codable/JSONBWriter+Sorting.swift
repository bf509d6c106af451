package import SealiteJSON
internal import SealiteValues

// Sorting of members and items that the writer has written, so that their bytes are valid.
extension JSONBWriter {
    /// Returns the byte range in the output, from name to value, of the member with a name, searched from an offset on;
    /// nil if there is none.
    func member(_ name: [UInt8], from start: Int) -> Range<Int>? {
        unsafe withUnsafeBytes { written in
            let bytes = unsafe written.bindMemory(to: UInt8.self).span
            var offset = start
            while let member = ObjectMember(bytes, at: offset, limit: bytes.count) {
                if member.name.end - member.name.start == name.count, member.name.hasPayload(name.span, in: bytes) {
                    return offset..<member.value.end
                }
                offset = member.value.end
            }
            return nil
        }
    }

    /// Returns the names of the members in the output from an offset on.
    func names(from start: Int) -> [String] {
        unsafe withUnsafeBytes { written in
            let bytes = unsafe written.bindMemory(to: UInt8.self).span
            var (names, offset) = ([String](), start)
            while let member = ObjectMember(bytes, at: offset, limit: bytes.count) {
                names.append(member.name.text(in: bytes))
                offset = member.value.end
            }
            return names
        }
    }

    /// Sorts the members that begin at an offset, up to the end of the output, by name.
    mutating func sortMembers(from start: Int) {
        let written = bytes
        if let sorted = Self.sortedMembers(written, start..<written.count) {
            replace(start..<written.count, by: sorted)
        }
    }

    /// Sorts the items that begin at an offset, up to the end of the output, by value.
    mutating func sortItems(from start: Int) {
        let written = bytes
        if let sorted = Self.sortedItems(written, start..<written.count) { replace(start..<written.count, by: sorted) }
    }

    /// Returns the bytes of the members in a range of `bytes`, sorted by their names; nil if they are in that order
    /// already.
    package static func sortedMembers(_ bytes: [UInt8], _ range: Range<Int>) -> [UInt8]? {
        var (parts, offset) = ([(whole: Range<Int>, name: JSONBElement)](), range.lowerBound)
        while let member = ObjectMember(bytes.span, at: offset, limit: range.upperBound) {
            parts.append((offset..<member.value.end, member.name))
            offset = member.value.end
        }
        return sorted(parts.map { ($0.whole, $0.name) }, bytes) { left, right in
            ValueOrder.comparePayloads(left, bytes.span, right, bytes.span)
        }
    }

    /// Returns the bytes of the items in a range of `bytes`, sorted by value; nil if they are in that order already.
    package static func sortedItems(_ bytes: [UInt8], _ range: Range<Int>) -> [UInt8]? {
        var (parts, offset) = ([(Range<Int>, JSONBElement)](), range.lowerBound)
        while let item = JSONBElement(bytes.span, at: offset, limit: range.upperBound) {
            parts.append((offset..<item.end, item))
            offset = item.end
        }
        return sorted(parts, bytes) { left, right in
            StoredValue.compare(left, in: bytes.span, to: right, in: bytes.span)
        }
    }

    private static func sorted(
        _ parts: [(range: Range<Int>, key: JSONBElement)], _ bytes: [UInt8],
        _ compare: (JSONBElement, JSONBElement) -> Int
    ) -> [UInt8]? {
        guard zip(parts, parts.dropFirst()).contains(where: { compare($0.key, $1.key) > 0 }) else { return nil }
        return parts.sorted { compare($0.key, $1.key) < 0 }.flatMap { bytes[$0.range] }
    }
}

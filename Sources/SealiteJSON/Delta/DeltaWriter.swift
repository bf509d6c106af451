/// Writes the difference of two bodies as a delta.
struct DeltaWriter: ~Copyable {
    /// The depth down to which a difference that became larger than the new value is replaced by the value, and up to
    /// which containers are compared as bytes first. Deeper levels do neither, which bounds the time by a multiple of the
    /// bodies' size.
    private static let carefulDepth = 8

    private var output: JSONBSerializer
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
        output = JSONBSerializer(.stored, capacity: 256)
    }

    static var damaged: JSONError { JSONError(.malformed, at: 0, "the bytes are not JSONB") }

    /// The text that was written; nil if it is larger than the limit.
    consuming func finish() -> [UInt8]? { isTooLarge ? nil : output.text.array }

    mutating func writeEmpty() { output.text.append("{}") }

    private var isTooLarge: Bool { output.text.count > limit }

    private mutating func cut(to count: Int) {
        output.text.move(from: output.text.count, by: count - output.text.count)
    }

    /// Writes the delta from one value to another; writes nothing and returns false if they are equal.
    mutating func difference(
        _ old: JSONBElement, _ oldBytes: borrowing Span<UInt8>, _ new: JSONBElement, _ newBytes: borrowing Span<UInt8>,
        depth: Int
    ) throws(JSONError) -> Bool {
        if Self.hasSameBytes(old, oldBytes, new, newBytes, depth: depth) { return false }
        return try written(old, oldBytes, new, newBytes, depth: depth)
    }

    /// Returns whether two values have the same bytes, as far as they are compared at this depth.
    @inline(__always)
    private static func hasSameBytes(
        _ old: JSONBElement, _ oldBytes: borrowing Span<UInt8>, _ new: JSONBElement, _ newBytes: borrowing Span<UInt8>,
        depth: Int
    ) -> Bool {
        guard old.type == new.type else { return false }
        let isContainer = new.type == JSONBType.object || new.type == JSONBType.array
        return (!isContainer || depth <= carefulDepth) && old.hasSamePayload(as: new, in: newBytes, oldBytes)
    }

    /// Writes the delta between values that haven't the same bytes; returns false if they are equal all the same.
    private mutating func written(
        _ old: JSONBElement, _ oldBytes: borrowing Span<UInt8>, _ new: JSONBElement, _ newBytes: borrowing Span<UInt8>,
        depth: Int
    ) throws(JSONError) -> Bool {
        let isContainer = new.type == JSONBType.object || new.type == JSONBType.array
        guard depth <= JSONB.maximumDepth else { throw Self.damaged }
        let mark = output.text.count
        let isBothFilled = old.start < old.end && new.start < new.end
        if isContainer, old.type == new.type, isBothFilled || depth == 0 {
            let isDifferent =
                new.type == JSONBType.object
                ? try members(old, oldBytes, new, newBytes, depth: depth)
                : try items(old, oldBytes, new, newBytes, depth: depth)
            let isLonger = output.text.count - mark > new.end - new.start + 2
            guard isDifferent, depth > 0, isLonger && depth <= Self.carefulDepth || Self.isBlob(new, newBytes) else {
                return isDifferent
            }
            cut(to: mark)
        } else if old.isString, new.isString, text(old, oldBytes, new, newBytes) {
            return true
        } else if isContainer, old.type == new.type, old.start == old.end, new.start == new.end {
            return false
        }
        try whole(new, newBytes, isRoot: depth == 0)
        return true
    }

    private static let typeName = Array("@type".utf8)
    private static let blobType = Array("blob".utf8)

    /// Returns whether a value is the description of a blob, which is written whole: Couchbase Lite looks for the blobs
    /// that a delta adds only in complete descriptions, and would never fetch the content of another one.
    private static func isBlob(_ value: JSONBElement, _ bytes: borrowing Span<UInt8>) -> Bool {
        guard value.type == JSONBType.object, let type = value.member(typeName.span, in: bytes), type.isString else {
            return false
        }
        return type.end - type.start == blobType.count && type.hasPayload(blobType.span, in: bytes)
    }

    /// Writes a value that replaces another one or that is inserted.
    private mutating func whole(
        _ value: JSONBElement, _ bytes: borrowing Span<UInt8>, isRoot: Bool = false
    ) throws(JSONError) {
        let isWrapped = isRoot || value.type == JSONBType.object || value.type == JSONBType.array
        if isWrapped { output.text.append(0x5B) }
        try output.write(value, in: bytes)
        if isWrapped { output.text.append(0x5D) }
    }

    /// Writes what separates the next member from the one before, or begins the object.
    private mutating func separate(_ isOpen: Bool) { output.text.append(isOpen ? 0x2C : 0x7B) }

    // MARK: - Objects

    private mutating func members(
        _ old: JSONBElement, _ oldBytes: borrowing Span<UInt8>, _ new: JSONBElement, _ newBytes: borrowing Span<UInt8>,
        depth: Int
    ) throws(JSONError) -> Bool {
        // While both have the same names in the same order, no table is needed.
        var table: MemberTable?
        var (cursor, inOrder) = (old.start, 0)
        var (offset, isOpen) = (new.start, false)
        while offset < new.end {
            let (label, value) = try Self.member(newBytes, at: offset, limit: new.end)
            offset = value.end
            var found: JSONBElement?
            if table == nil, cursor < old.end {
                let (oldLabel, oldValue) = try Self.member(oldBytes, at: cursor, limit: old.end)
                if oldLabel.hasSamePayload(as: label, in: newBytes, oldBytes) {
                    (found, cursor, inOrder) = (oldValue, oldValue.end, inOrder + 1)
                } else {
                    guard var made = MemberTable(old, oldBytes) else { throw Self.damaged }
                    made.noteFound(first: inOrder)
                    table = consume made
                }
            }
            if found == nil { found = table?.find(label, in: newBytes, oldBytes)?.value }
            // Most members are equal, and neither their names nor their values are written.
            if let found, Self.hasSameBytes(found, oldBytes, value, newBytes, depth: depth + 1) { continue }
            let mark = output.text.count
            separate(isOpen)
            output.writeName(label, in: newBytes)
            if let found {
                guard try written(found, oldBytes, value, newBytes, depth: depth + 1) else {
                    cut(to: mark)
                    continue
                }
            } else {
                try whole(value, newBytes)
            }
            isOpen = true
            if isTooLarge { return true }
        }
        if let table {
            for (index, member) in table.members.enumerated() where !table.isFound[index] {
                remove(member.label, oldBytes, &isOpen)
            }
        } else {
            while cursor < old.end {
                let (label, value) = try Self.member(oldBytes, at: cursor, limit: old.end)
                remove(label, oldBytes, &isOpen)
                cursor = value.end
            }
        }
        if isOpen { output.text.append(0x7D) }
        return isOpen
    }

    private mutating func remove(_ label: JSONBElement, _ bytes: borrowing Span<UInt8>, _ isOpen: inout Bool) {
        separate(isOpen)
        output.writeName(label, in: bytes)
        output.text.append("[]")
        isOpen = true
    }

    @inline(__always)
    private static func member(
        _ bytes: borrowing Span<UInt8>, at offset: Int, limit: Int
    ) throws(JSONError) -> (label: JSONBElement, value: JSONBElement) {
        guard let label = JSONBElement(bytes, at: offset, limit: limit), label.isString,
            let value = JSONBElement(bytes, at: label.end, limit: limit)
        else { throw damaged }
        return (label, value)
    }

    // MARK: - Arrays

    /// The counts of equal items in two arrays, compared index by index up to the end of the shorter one.
    private struct ItemComparison {
        /// The numbers of items of both arrays, as far as they were counted.
        var oldCount = 0
        var newCount = 0
        /// The number of equal items at the start.
        var prefix = 0
        /// The offset in the new array after those.
        var prefixEnd = 0
        /// The number of items after those that are equal to the item at the same index.
        var laterEqual = 0

        /// A Boolean value that says whether an insertion or a removal has moved most of the items to other indexes, so that
        /// a delta by index would contain almost all of them.
        var isShifted: Bool {
            oldCount != newCount && laterEqual * 2 < min(oldCount, newCount) - prefix
        }
    }

    private mutating func items(
        _ old: JSONBElement, _ oldBytes: borrowing Span<UInt8>, _ new: JSONBElement, _ newBytes: borrowing Span<UInt8>,
        depth: Int
    ) throws(JSONError) -> Bool {
        let comparison = try Self.compare(old, oldBytes, new, newBytes)
        if comparison.isShifted {
            separate(false)
            try rest(from: comparison.prefix, at: comparison.prefixEnd, of: new, newBytes)
            output.text.append(0x7D)
            return true
        }
        var (oldOffset, offset, isOpen) = (old.start, new.start, false)
        for index in 0..<min(comparison.oldCount, comparison.newCount) {
            guard let oldItem = JSONBElement(oldBytes, at: oldOffset, limit: old.end),
                let item = JSONBElement(newBytes, at: offset, limit: new.end)
            else { throw Self.damaged }
            (oldOffset, offset) = (oldItem.end, item.end)
            guard index >= comparison.prefix else { continue }
            let mark = output.text.count
            separate(isOpen)
            key(index, isRest: false)
            if try difference(oldItem, oldBytes, item, newBytes, depth: depth + 1) {
                isOpen = true
            } else {
                cut(to: mark)
            }
            if isTooLarge { return true }
        }
        if comparison.oldCount != comparison.newCount {
            separate(isOpen)
            try rest(from: min(comparison.oldCount, comparison.newCount), at: offset, of: new, newBytes)
            isOpen = true
        }
        if isOpen { output.text.append(0x7D) }
        return isOpen
    }

    /// Writes the items of an array from the one at `index` on, whose header is at `offset`, as those that replace the
    /// rest of the old array.
    private mutating func rest(
        from index: Int, at offset: Int, of array: JSONBElement, _ bytes: borrowing Span<UInt8>
    ) throws(JSONError) {
        key(index, isRest: true)
        try output.write(JSONBElement(JSONBType.array, payload: offset..<array.end), in: bytes)
    }

    private mutating func key(_ index: Int, isRest: Bool) {
        output.text.append(0x22)
        output.text.appendDecimal(index)
        if isRest { output.text.append(0x2D) }
        output.text.append(0x22)
        output.text.append(0x3A)
    }

    private static func compare(
        _ old: JSONBElement, _ oldBytes: borrowing Span<UInt8>, _ new: JSONBElement, _ newBytes: borrowing Span<UInt8>
    ) throws(JSONError) -> ItemComparison {
        var result = ItemComparison()
        var (oldOffset, offset, isPrefix) = (old.start, new.start, true)
        result.prefixEnd = offset
        while oldOffset < old.end, offset < new.end {
            guard let oldItem = JSONBElement(oldBytes, at: oldOffset, limit: old.end),
                let item = JSONBElement(newBytes, at: offset, limit: new.end)
            else { throw damaged }
            let isEqual = oldItem.type == item.type && oldItem.hasSamePayload(as: item, in: newBytes, oldBytes)
            (oldOffset, offset) = (oldItem.end, item.end)
            isPrefix = isPrefix && isEqual
            if isPrefix {
                result.prefix += 1
                result.prefixEnd = offset
            } else if isEqual {
                result.laterEqual += 1
            }
            result.oldCount += 1
        }
        result.newCount = result.oldCount
        // One of the two has ended; of the other it matters only that it hasn't.
        if oldOffset < old.end { result.oldCount += 1 }
        if offset < new.end { result.newCount += 1 }
        return result
    }

    // MARK: - Texts

    /// Writes the change of a text as operations on its bytes; writes nothing and returns false if the text is short or
    /// the operations are no shorter than the text.
    private mutating func text(
        _ old: JSONBElement, _ oldBytes: borrowing Span<UInt8>, _ new: JSONBElement, _ newBytes: borrowing Span<UInt8>
    ) -> Bool {
        let byteCount = new.end - new.start
        guard byteCount >= TextDelta.minimumByteCount, old.start < old.end else { return false }
        let mark = output.text.count
        output.text.append("[\"")
        TextDelta.append(
            from: oldBytes.extracting(old.start..<old.end), to: newBytes.extracting(new.start..<new.end),
            into: &output.text, maximum: byteCount)
        output.text.append("\",0,2]")
        guard output.text.count - mark < byteCount else {
            cut(to: mark)
            return false
        }
        return true
    }
}

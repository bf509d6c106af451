package import SealiteJSON

// The order of values (Documentation/Values.md §4) on stored elements, without decoding them. Damaged elements come
// after all values.
extension StoredValue {
    /// The rank of the value's type in MongoDB's order; 1000 for damaged bytes, which come after all values.
    package var rank: Int { type?.rank ?? 1000 }

    /// Compares a stored element with a value.
    ///
    /// - Returns: a negative number, 0 or a positive number if the element comes before, is equal to or comes after the
    ///   value.
    package static func compare(_ element: JSONBElement, in bytes: borrowing Span<UInt8>, to value: BSON) -> Int {
        switch element.type {
        case JSONBType.text, JSONBType.rawText:
            guard case .string(let text) = value else { break }
            return comparePayload(element, bytes, text)
        case JSONBType.integer, JSONBType.float:
            guard let number = NumericValue(element, in: bytes), let other = NumericValue(value) else { break }
            return number.compared(to: other)
        default: break
        }
        return compare(element, StoredValue(element, in: bytes), bytes, value, depth: 0)
    }

    /// Compares a stored element with a value, which must not be NaN, if both have the same rank in MongoDB's order.
    ///
    /// - Returns: a negative number, 0 or a positive number if the element comes before, is equal to or comes after the
    ///   value; nil if the element has another rank or is NaN.
    package static func compare(
        _ element: JSONBElement, in bytes: borrowing Span<UInt8>, toEqualType value: BSON
    ) -> Int? {
        let stored = StoredValue(element, in: bytes)
        guard stored.rank == value.type.rank else { return nil }
        if case .number(let number) = stored, number.isNotANumber { return nil }
        return compare(element, stored, bytes, value, depth: 0)
    }

    /// Compares two stored elements.
    ///
    /// - Returns: a negative number, 0 or a positive number if the left element comes before, is equal to or comes
    ///   after the right one.
    package static func compare(
        _ left: JSONBElement, in leftBytes: borrowing Span<UInt8>, to right: JSONBElement,
        in rightBytes: borrowing Span<UInt8>
    ) -> Int {
        compare(
            left, StoredValue(left, in: leftBytes), leftBytes, right, StoredValue(right, in: rightBytes), rightBytes,
            depth: 0)
    }

    // MARK: - An element and a value

    private static func compare(
        _ element: JSONBElement, _ stored: StoredValue, _ bytes: borrowing Span<UInt8>, _ value: BSON, depth: Int
    ) -> Int {
        let (rank, otherRank) = (stored.rank, value.type.rank)
        guard rank == otherRank else { return rank - otherRank }
        switch (stored, value) {
        case (.number(let number), _):
            return NumericValue(value).map { number.value.compared(to: $0) } ?? 0
        case (.bool(let left), .bool(let right)): return (left ? 1 : 0) - (right ? 1 : 0)
        case (.string, .string(let text)), (.string, .symbol(let text)):
            return comparePayload(element, bytes, text)
        case (.array, .array(let items)): return compareItems(element, bytes, items, depth: depth)
        case (.document, .document(let document)): return compareMembers(element, bytes, document, depth: depth)
        case (.wrapped(let other), _): return other.compared(to: value)
        default: return 0
        }
    }

    private static func comparePayload(_ element: JSONBElement, _ bytes: borrowing Span<UInt8>, _ text: String) -> Int {
        let utf8 = text.utf8.span
        let count = element.end - element.start
        for index in 0..<min(count, utf8.count) where bytes[element.start + index] != utf8[index] {
            return Int(bytes[element.start + index]) - Int(utf8[index])
        }
        return count - utf8.count
    }

    private static func compareItems(
        _ array: JSONBElement, _ bytes: borrowing Span<UInt8>, _ items: [BSON], depth: Int
    ) -> Int {
        guard depth < JSONB.maximumDepth else { return 0 }
        var (offset, index) = (array.start, 0)
        while let item = JSONBElement(bytes, at: offset, limit: array.end) {
            guard index < items.count else { return 1 }
            let order = compare(item, StoredValue(item, in: bytes), bytes, items[index], depth: depth + 1)
            guard order == 0 else { return order }
            (offset, index) = (item.end, index + 1)
        }
        // Damaged items come after all values.
        return offset < array.end ? 1 : index - items.count
    }

    private static func compareMembers(
        _ object: JSONBElement, _ bytes: borrowing Span<UInt8>, _ document: MongoDocument, depth: Int
    ) -> Int {
        guard depth < JSONB.maximumDepth else { return 0 }
        var (offset, index) = (object.start, 0)
        while let member = ObjectMember(bytes, at: offset, limit: object.end) {
            guard index < document.count else { return 1 }
            let other = document.members[index]
            let stored = StoredValue(member.value, in: bytes)
            let ranks = stored.rank - other.value.type.rank
            guard ranks == 0 else { return ranks }
            let names = comparePayload(member.name, bytes, other.key)
            guard names == 0 else { return names }
            let order = compare(member.value, stored, bytes, other.value, depth: depth + 1)
            guard order == 0 else { return order }
            (offset, index) = (member.value.end, index + 1)
        }
        return offset < object.end ? 1 : index - document.count
    }

    // MARK: - Two elements

    private static func compare(
        _ left: JSONBElement, _ leftValue: StoredValue, _ leftBytes: borrowing Span<UInt8>, _ right: JSONBElement,
        _ rightValue: StoredValue, _ rightBytes: borrowing Span<UInt8>, depth: Int
    ) -> Int {
        let (rank, otherRank) = (leftValue.rank, rightValue.rank)
        guard rank == otherRank else { return rank - otherRank }
        switch (leftValue, rightValue) {
        case (.number(let left), .number(let right)): return left.value.compared(to: right.value)
        case (.bool(let left), .bool(let right)): return (left ? 1 : 0) - (right ? 1 : 0)
        case (.string, .string): return ValueOrder.comparePayloads(left, leftBytes, right, rightBytes)
        case (.array, .array): return compareItems(left, leftBytes, right, rightBytes, depth: depth)
        case (.document, .document): return compareMembers(left, leftBytes, right, rightBytes, depth: depth)
        case (.wrapped(let left), .wrapped(let right)): return left.compared(to: right)
        // A symbol is compared with a string by its text. `comparePayload` has the string on the left, so the sign is
        // reversed.
        case (.wrapped(let value), .string): return -comparePayload(right, rightBytes, value.symbolText)
        case (.string, .wrapped(let value)): return comparePayload(left, leftBytes, value.symbolText)
        default: return 0
        }
    }

    private static func compareItems(
        _ left: JSONBElement, _ leftBytes: borrowing Span<UInt8>, _ right: JSONBElement,
        _ rightBytes: borrowing Span<UInt8>, depth: Int
    ) -> Int {
        guard depth < JSONB.maximumDepth else { return 0 }
        var (leftOffset, rightOffset) = (left.start, right.start)
        while let item = JSONBElement(leftBytes, at: leftOffset, limit: left.end),
            let other = JSONBElement(rightBytes, at: rightOffset, limit: right.end)
        {
            let order = compare(
                item, StoredValue(item, in: leftBytes), leftBytes, other, StoredValue(other, in: rightBytes),
                rightBytes, depth: depth + 1)
            guard order == 0 else { return order }
            (leftOffset, rightOffset) = (item.end, other.end)
        }
        return compareRests(
            rest(JSONBElement(leftBytes, at: leftOffset, limit: left.end) != nil, leftOffset, left),
            rest(JSONBElement(rightBytes, at: rightOffset, limit: right.end) != nil, rightOffset, right))
    }

    private static func compareMembers(
        _ left: JSONBElement, _ leftBytes: borrowing Span<UInt8>, _ right: JSONBElement,
        _ rightBytes: borrowing Span<UInt8>, depth: Int
    ) -> Int {
        guard depth < JSONB.maximumDepth else { return 0 }
        var (leftOffset, rightOffset) = (left.start, right.start)
        while let member = ObjectMember(leftBytes, at: leftOffset, limit: left.end),
            let other = ObjectMember(rightBytes, at: rightOffset, limit: right.end)
        {
            let (value, otherValue) = (
                StoredValue(member.value, in: leftBytes), StoredValue(other.value, in: rightBytes)
            )
            guard value.rank == otherValue.rank else { return value.rank - otherValue.rank }
            let names = ValueOrder.comparePayloads(member.name, leftBytes, other.name, rightBytes)
            guard names == 0 else { return names }
            let order = compare(member.value, value, leftBytes, other.value, otherValue, rightBytes, depth: depth + 1)
            guard order == 0 else { return order }
            (leftOffset, rightOffset) = (member.value.end, other.value.end)
        }
        return compareRests(
            rest(ObjectMember(leftBytes, at: leftOffset, limit: left.end) != nil, leftOffset, left),
            rest(ObjectMember(rightBytes, at: rightOffset, limit: right.end) != nil, rightOffset, right))
    }

    /// Returns the rank of the part of a container from `offset` on: 0 if it is empty, 1 if it starts with a whole item
    /// or member, as `isWhole` says, 2 if it is damaged.
    private static func rest(_ isWhole: Bool, _ offset: Int, _ container: JSONBElement) -> Int {
        offset >= container.end ? 0 : isWhole ? 1 : 2
    }

    private static func compareRests(_ left: Int, _ right: Int) -> Int { left - right }
}

extension BSON {
    /// The text of a symbol, empty for other values.
    fileprivate var symbolText: String { if case .symbol(let text) = self { text } else { "" } }
}

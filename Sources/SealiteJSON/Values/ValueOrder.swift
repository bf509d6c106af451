/// An order of JSON values, which compares stored JSONB without decoding it (Documentation/JSON.md §3).
///
/// The order is total, damaged values included; two values are equal if neither precedes the other.
package struct ValueOrder: Sendable {
    /// The rank of each type of values: values of a type with a lower rank come first.
    package struct Ranks: Sendable {
        let null: Int
        let `false`: Int
        let `true`: Int
        let number: Int
        let string: Int
        let array: Int
        let object: Int
    }

    /// The ways in which two objects are compared.
    package enum Objects: Sendable {
        /// The object with fewer members comes first; if the numbers are equal, names and values are compared in the
        /// order of the names.
        case byName
        /// Members are compared pair by pair in stored order: first the types of the values, then the names, then the
        /// values. If all pairs are equal, the object with fewer members comes first.
        case asStored
    }

    private let ranks: Ranks
    let objects: Objects

    /// A Boolean value that says whether false and true have the same type rank.
    var hasOneBoolean: Bool { ranks.false == ranks.true }

    /// The order of SQL++ in Couchbase Server.
    package static let queries = ValueOrder(
        ranks: Ranks(null: 1, false: 2, true: 3, number: 4, string: 5, array: 6, object: 7), objects: .byName)
    /// The order of MongoDB, in which true and false have the same type.
    package static let mongo = ValueOrder(
        ranks: Ranks(null: 1, false: 6, true: 6, number: 2, string: 3, array: 5, object: 4), objects: .asStored)

    /// Compares two values; `nil` stands for a missing value, which comes before all others.
    ///
    /// - Returns: a negative number, 0 or a positive number if the left value comes before, is equal to or comes after
    ///   the right one.
    package func compare(
        _ left: JSONBElement?, in leftBytes: borrowing Span<UInt8>, _ right: JSONBElement?,
        in rightBytes: borrowing Span<UInt8>
    ) -> Int {
        guard let left, let right else { return (left == nil ? 0 : 1) - (right == nil ? 0 : 1) }
        return compare(left, leftBytes, right, rightBytes, depth: 0)
    }

    func rank(_ element: JSONBElement) -> Int {
        switch element.type {
        case JSONBType.null: ranks.null
        case JSONBType.false: ranks.false
        case JSONBType.true: ranks.true
        case JSONBType.integer, JSONBType.float: ranks.number
        case JSONBType.text, JSONBType.rawText: ranks.string
        case JSONBType.array: ranks.array
        case JSONBType.object: ranks.object
        // Types that don't occur in bodies come last, each with a rank of its own.
        default: 100 + Int(element.type)
        }
    }

    private func compare(
        _ left: JSONBElement, _ leftBytes: borrowing Span<UInt8>, _ right: JSONBElement,
        _ rightBytes: borrowing Span<UInt8>, depth: Int
    ) -> Int {
        let (leftRank, rightRank) = (rank(left), rank(right))
        guard leftRank == rightRank else { return leftRank - rightRank }
        switch left.type {
        case JSONBType.null: return 0
        case JSONBType.true, JSONBType.false:
            return (left.type == JSONBType.true ? 1 : 0) - (right.type == JSONBType.true ? 1 : 0)
        case JSONBType.integer, JSONBType.float:
            return Self.compareNumbers(left, leftBytes, right, rightBytes)
        // Values nested deeper than a body allows have an arbitrary order; the recursion is bounded.
        case JSONBType.array where depth < JSONB.maximumDepth:
            return compareItems(left, leftBytes, right, rightBytes, depth: depth + 1)
        case JSONBType.object where depth < JSONB.maximumDepth:
            return switch objects {
            case .byName: compareByName(left, leftBytes, right, rightBytes, depth: depth + 1)
            case .asStored: compareAsStored(left, leftBytes, right, rightBytes, depth: depth + 1)
            }
        default: return Self.comparePayloads(left, leftBytes, right, rightBytes)
        }
    }

    /// Compares two elements that are marked as numbers by their exact values. Payloads that aren't numbers come after
    /// all numbers, ordered by their bytes.
    private static func compareNumbers(
        _ left: JSONBElement, _ leftBytes: borrowing Span<UInt8>, _ right: JSONBElement,
        _ rightBytes: borrowing Span<UInt8>
    ) -> Int {
        let leftNumber = DecimalText(leftBytes, left.start..<left.end)
        let rightNumber = DecimalText(rightBytes, right.start..<right.end)
        guard let leftNumber, let rightNumber else {
            let order = (leftNumber == nil ? 1 : 0) - (rightNumber == nil ? 1 : 0)
            return order != 0 ? order : comparePayloads(left, leftBytes, right, rightBytes)
        }
        return DecimalText.compare(leftNumber, leftBytes, rightNumber, rightBytes)
    }

    /// Returns a negative number, 0 or a positive number if the left payload comes before, is equal to or comes after
    /// the right one, compared byte by byte; a payload that is a prefix of the other comes first.
    package static func comparePayloads(
        _ left: JSONBElement, _ leftBytes: borrowing Span<UInt8>, _ right: JSONBElement,
        _ rightBytes: borrowing Span<UInt8>
    ) -> Int {
        let (leftCount, rightCount) = (left.end - left.start, right.end - right.start)
        for index in 0..<min(leftCount, rightCount) {
            let (a, b) = (leftBytes[left.start + index], rightBytes[right.start + index])
            if a != b { return a < b ? -1 : 1 }
        }
        return leftCount - rightCount
    }

    /// Compares the remainders of two arrays or objects, at least one of which has no further element: an empty
    /// remainder comes first, then an element, then damaged bytes.
    private static func compareRests(
        _ left: Rest, _ leftBytes: borrowing Span<UInt8>, _ right: Rest, _ rightBytes: borrowing Span<UInt8>
    ) -> Int {
        guard left.place == right.place else { return left.place - right.place }
        return left.place == 0 ? 0 : comparePayloads(left.bytes, leftBytes, right.bytes, rightBytes)
    }

    private func compareItems(
        _ left: JSONBElement, _ leftBytes: borrowing Span<UInt8>, _ right: JSONBElement,
        _ rightBytes: borrowing Span<UInt8>, depth: Int
    ) -> Int {
        var (leftOffset, rightOffset) = (left.start, right.start)
        while let leftItem = JSONBElement(leftBytes, at: leftOffset, limit: left.end),
            let rightItem = JSONBElement(rightBytes, at: rightOffset, limit: right.end)
        {
            let order = compare(leftItem, leftBytes, rightItem, rightBytes, depth: depth)
            if order != 0 { return order }
            (leftOffset, rightOffset) = (leftItem.end, rightItem.end)
        }
        return Self.compareRests(
            Rest(leftBytes, leftOffset, left), leftBytes, Rest(rightBytes, rightOffset, right),
            rightBytes)
    }

    private func compareAsStored(
        _ left: JSONBElement, _ leftBytes: borrowing Span<UInt8>, _ right: JSONBElement,
        _ rightBytes: borrowing Span<UInt8>, depth: Int
    ) -> Int {
        var (leftOffset, rightOffset) = (left.start, right.start)
        while let leftMember = ObjectMember(leftBytes, at: leftOffset, limit: left.end),
            let rightMember = ObjectMember(rightBytes, at: rightOffset, limit: right.end)
        {
            let (leftRank, rightRank) = (rank(leftMember.value), rank(rightMember.value))
            guard leftRank == rightRank else { return leftRank - rightRank }
            let names = Self.comparePayloads(leftMember.name, leftBytes, rightMember.name, rightBytes)
            guard names == 0 else { return names }
            let values = compare(leftMember.value, leftBytes, rightMember.value, rightBytes, depth: depth)
            guard values == 0 else { return values }
            (leftOffset, rightOffset) = (leftMember.value.end, rightMember.value.end)
        }
        return Self.compareRests(
            Rest(leftBytes, leftOffset, left), leftBytes, Rest(rightBytes, rightOffset, right),
            rightBytes)
    }

    private func compareByName(
        _ left: JSONBElement, _ leftBytes: borrowing Span<UInt8>, _ right: JSONBElement,
        _ rightBytes: borrowing Span<UInt8>, depth: Int
    ) -> Int {
        let (leftMembers, rightMembers) = (SortedMembers(left, leftBytes), SortedMembers(right, rightBytes))
        guard leftMembers.count == rightMembers.count else { return leftMembers.count - rightMembers.count }
        for index in 0..<leftMembers.count {
            guard let leftMember = leftMembers.member(index, in: leftBytes),
                let rightMember = rightMembers.member(index, in: rightBytes)
            else { break }
            let names = Self.comparePayloads(leftMember.name, leftBytes, rightMember.name, rightBytes)
            guard names == 0 else { return names }
            let values = compare(leftMember.value, leftBytes, rightMember.value, rightBytes, depth: depth)
            guard values == 0 else { return values }
        }
        return 0
    }

    /// The remainder of an array or object that was compared up to an offset.
    private struct Rest {
        /// The rank of the remainder: 0 if it is empty, 1 for an item or a member, 2 for damaged bytes.
        let place: Int
        let bytes: JSONBElement

        init(_ span: borrowing Span<UInt8>, _ offset: Int, _ container: JSONBElement) {
            let isWhole =
                container.type == JSONBType.array
                ? JSONBElement(span, at: offset, limit: container.end) != nil
                : ObjectMember(span, at: offset, limit: container.end) != nil
            place = offset >= container.end ? 0 : isWhole ? 1 : 2
            bytes = JSONBElement(JSONBType.null, payload: offset..<container.end)
        }
    }
}

/// A member of a JSONB object: the elements that are its name and its value.
package struct ObjectMember {
    package let name: JSONBElement
    package let value: JSONBElement

    package init?(_ bytes: borrowing Span<UInt8>, at offset: Int, limit: Int) {
        guard let name = JSONBElement(bytes, at: offset, limit: limit),
            let value = JSONBElement(bytes, at: name.end, limit: limit)
        else { return nil }
        (self.name, self.value) = (name, value)
    }
}

/// The members of a JSONB object, sorted by the UTF-8 bytes of their names; of equal names the one that is stored first
/// comes first. Members from the first damaged bytes on are left out.
///
/// A member takes four bytes of memory, since an object of a body's maximum size can have millions of them.
package struct SortedMembers {
    /// The offsets of the members' names.
    private var offsets: [UInt32] = []
    private let limit: Int
    /// The offset at which the last of the stored members ends.
    package private(set) var end: Int

    package init(_ object: JSONBElement, _ bytes: borrowing Span<UInt8>) {
        (end, limit) = (object.start, object.end)
        while let member = ObjectMember(bytes, at: end, limit: limit), let offset = UInt32(exactly: end) {
            offsets.append(offset)
            end = member.value.end
        }
        let bytes = copy bytes
        offsets.sort { left, right in
            guard let name = JSONBElement(bytes, at: Int(left), limit: object.end),
                let other = JSONBElement(bytes, at: Int(right), limit: object.end)
            else { return left < right }
            let order = ValueOrder.comparePayloads(name, bytes, other, bytes)
            return order != 0 ? order < 0 : left < right
        }
    }

    /// The number of members.
    package var count: Int { offsets.count }

    /// Returns the member with an index in the order of the names, which must be less than `count`; `bytes` are those
    /// that the object was read from.
    package func member(_ index: Int, in bytes: borrowing Span<UInt8>) -> ObjectMember? {
        ObjectMember(bytes, at: Int(offsets[index]), limit: limit)
    }
}

/// The members of a JSONB object by name, for lookups in an order other than the object's.
///
/// The hash is seeded at random by the process, so that no document makes lookups slow.
struct MemberTable {
    /// A member: the offset of its name's header, its name and its value, whose header follows the name.
    struct Member {
        let start: Int
        let label: JSONBElement
        let value: JSONBElement
    }

    private(set) var members: [Member] = []
    /// For each of `members`, true once `find` has returned it.
    private(set) var isFound: [Bool] = []
    /// Indexes of members by the hashes of their names, −1 for none; a power of two that is at least twice the number of
    /// members.
    private var slots: [Int32] = []

    /// Creates the table of an object's members; nil if the object is damaged.
    init?(_ object: JSONBElement, _ bytes: borrowing Span<UInt8>) {
        assert(object.type == JSONBType.object)
        var offset = object.start
        while offset < object.end {
            guard let label = JSONBElement(bytes, at: offset, limit: object.end), label.isString,
                let value = JSONBElement(bytes, at: label.end, limit: object.end)
            else { return nil }
            members.append(Member(start: offset, label: label, value: value))
            offset = value.end
        }
        isFound = Array(repeating: false, count: members.count)
        var size = 16
        while size < members.count * 2 { size *= 2 }
        slots = Array(repeating: -1, count: size)
        for index in members.indices {
            var slot = Self.hash(members[index].label, bytes) & (size - 1)
            while slots[slot] >= 0 { slot = (slot + 1) & (size - 1) }
            slots[slot] = Int32(truncatingIfNeeded: index)
        }
    }

    /// Returns the member of the name that `label` is in `other`, and notes that it was found; nil if there is none.
    mutating func find(
        _ label: JSONBElement, in other: borrowing Span<UInt8>, _ bytes: borrowing Span<UInt8>
    ) -> Member? {
        var slot = Self.hash(label, other) & (slots.count - 1)
        while slots[slot] >= 0 {
            let index = Int(slots[slot])
            if members[index].label.hasSamePayload(as: label, in: other, bytes) {
                isFound[index] = true
                return members[index]
            }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    /// Notes that the first `count` members were found.
    mutating func noteFound(first count: Int) {
        for index in 0..<count { isFound[index] = true }
    }

    private static func hash(_ label: JSONBElement, _ bytes: borrowing Span<UInt8>) -> Int {
        var hasher = Hasher()
        unsafe bytes.extracting(label.start..<label.end).withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        return hasher.finalize() & Int.max
    }
}

extension JSONBElement {
    /// Returns whether this element of `bytes` and an element of `other` have the same payload.
    @inline(__always)
    func hasSamePayload(
        as element: JSONBElement, in other: borrowing Span<UInt8>, _ bytes: borrowing Span<UInt8>
    ) -> Bool {
        guard end - start == element.end - element.start else { return false }
        return bytes.extracting(start..<end).hasSameBytes(as: other.extracting(element.start..<element.end))
    }
}

internal import Glibc

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
        let (mine, theirs) = (bytes.extracting(start..<end), other.extracting(element.start..<element.end))
        return end - start < 64 ? mine.hasSameBytes(as: theirs) : mine.hasSameLongBytes(as: theirs)
    }
}

extension Span<UInt8> {
    /// Returns whether both spans, of the same length, have the same bytes. The call costs more than a comparison of a few
    /// words.
    fileprivate func hasSameLongBytes(as other: Span<UInt8>) -> Bool {
        assert(count == other.count && count > 0)
        return unsafe withUnsafeBytes { left in
            unsafe other.withUnsafeBytes { right in
                guard let left = left.baseAddress, let right = right.baseAddress else { return true }
                return unsafe memcmp(left, right, count) == 0
            }
        }
    }

    /// Returns the number of bytes at the start that are the same in both spans.
    func commonPrefixCount(_ other: Span<UInt8>) -> Int {
        unsafe withUnsafeBytes { left in
            unsafe other.withUnsafeBytes { right in
                let limit = Swift.min(left.count, right.count)
                var count = 0
                while count + 8 <= limit {
                    let difference =
                        unsafe left.loadUnaligned(fromByteOffset: count, as: UInt64.self).littleEndian
                        ^ right.loadUnaligned(fromByteOffset: count, as: UInt64.self).littleEndian
                    guard difference == 0 else { return count + difference.trailingZeroBitCount / 8 }
                    count += 8
                }
                while count < limit, unsafe left[count] == right[count] { count += 1 }
                return count
            }
        }
    }

    /// Returns the number of bytes at the end that are the same in both spans, at most `limit`, which is at most the
    /// length of each.
    func commonSuffixCount(_ other: Span<UInt8>, limit: Int) -> Int {
        assert(limit <= Swift.min(count, other.count))
        return unsafe withUnsafeBytes { left in
            unsafe other.withUnsafeBytes { right in
                var count = 0
                while count + 8 <= limit {
                    let (end, otherEnd) = (left.count - count - 8, right.count - count - 8)
                    let difference =
                        unsafe left.loadUnaligned(fromByteOffset: end, as: UInt64.self).littleEndian
                        ^ right.loadUnaligned(fromByteOffset: otherEnd, as: UInt64.self).littleEndian
                    guard difference == 0 else { return count + difference.leadingZeroBitCount / 8 }
                    count += 8
                }
                while count < limit, unsafe left[left.count - 1 - count] == right[right.count - 1 - count] {
                    count += 1
                }
                return count
            }
        }
    }
}

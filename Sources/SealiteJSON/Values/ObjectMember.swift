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

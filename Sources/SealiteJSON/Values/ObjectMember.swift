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

    /// Returns the members of an object, sorted by the UTF-8 bytes of their names; members from the first damaged bytes
    /// on are left out.
    package static func sorted(_ object: JSONBElement, _ bytes: borrowing Span<UInt8>) -> [ObjectMember] {
        var members: [ObjectMember] = []
        var offset = object.start
        while let member = ObjectMember(bytes, at: offset, limit: object.end) {
            members.append(member)
            offset = member.value.end
        }
        let bytes = copy bytes
        members.sort { ValueOrder.comparePayloads($0.name, bytes, $1.name, bytes) < 0 }
        return members
    }
}

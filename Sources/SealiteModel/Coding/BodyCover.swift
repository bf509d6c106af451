internal import SealiteJSON
internal import SealiteValues

/// Determines whether a new body can replace a stored one without merging, as for most changes of values: the new body
/// has the same members in the same order, and no value differs from the stored one only in its stored form. Other
/// cases are handled by `BodyMerge`.
struct BodyCover {
    private let new: [UInt8]
    private let old: [UInt8]

    /// Returns whether a new body can replace a stored one without merging: it has the same members in the same order,
    /// and no stored value has to be kept in its stored form. False if a body is damaged.
    static func covers(_ new: [UInt8], _ old: [UInt8], _ plan: ObjectPlan) -> Bool {
        guard let newRoot = JSONBElement(root: new.span), let oldRoot = JSONBElement(root: old.span) else {
            return false
        }
        return BodyCover(new: new, old: old).covers(newRoot, oldRoot, plan)
    }

    private func covers(_ newObject: JSONBElement, _ oldObject: JSONBElement, _ plan: ObjectPlan) -> Bool {
        var (offset, oldOffset, expected) = (newObject.start, oldObject.start, 0)
        while let member = ObjectMember(new.span, at: offset, limit: newObject.end) {
            guard let stored = ObjectMember(old.span, at: oldOffset, limit: oldObject.end),
                isSame(member.name, stored.name), let place = plan.place(of: member.name, in: new.span, from: expected),
                covers(member.value, stored.value, plan.members[place].value)
            else { return false }
            (offset, oldOffset, expected) = (member.value.end, stored.value.end, place + 1)
        }
        return oldOffset == oldObject.end
    }

    private func covers(_ value: JSONBElement, _ stored: JSONBElement, _ plan: ValuePlan) -> Bool {
        if isSame(value, stored) { return true }
        switch plan {
        case .object(let plan):
            guard value.type == JSONBType.object, stored.type == JSONBType.object else { return true }
            return covers(value, stored, plan)
        case .mixed, .plain, .own, .link, .array:
            return StoredValue.compare(value, in: new.span, to: stored, in: old.span) != 0
        case .set, .dictionary: return false
        }
    }

    /// Returns whether two stored elements have the same bytes.
    private func isSame(_ value: JSONBElement, _ stored: JSONBElement) -> Bool {
        value.type == stored.type && value.end - value.start == stored.end - stored.start
            && ValueOrder.comparePayloads(value, new.span, stored, old.span) == 0
    }
}

extension ObjectPlan {
    /// Returns the index in the plan of the member with a stored name, searched from the index `first` to the end; nil
    /// if there is none.
    fileprivate func place(of name: JSONBElement, in bytes: borrowing Span<UInt8>, from first: Int) -> Int? {
        var place = first
        while place < members.count {
            let label = members[place].name.utf8
            if label.count == name.end - name.start, name.hasPayload(label.span, in: bytes) { return place }
            place += 1
        }
        return nil
    }
}

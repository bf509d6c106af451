internal import SealiteDatabase
internal import SealiteJSON
internal import SealiteValues

/// Merges the newly encoded body of an object into the body that its document has. Stored members that the type doesn't
/// have keep their positions, and equal values keep their stored form: a double that a peer has written without a
/// point, or a time in another form, isn't a change.
struct BodyMerge: ~Copyable {
    private let new: [UInt8]
    private let old: [UInt8]
    private var writer: JSONBWriter

    private init(_ new: [UInt8], _ old: [UInt8]) {
        (self.new, self.old) = (new, old)
        writer = JSONBWriter(capacity: max(new.count, old.count) + 64)
    }

    /// Returns a new body to which the members of a stored body that the type doesn't have are added, and in which
    /// equal values have their stored form; nil if the stored body isn't an object or is damaged.
    static func merged(_ new: [UInt8], into old: [UInt8], _ plan: ObjectPlan) -> [UInt8]? {
        guard let newRoot = JSONBElement(root: new.span), let oldRoot = JSONBElement(root: old.span),
            newRoot.type == JSONBType.object, oldRoot.type == JSONBType.object
        else { return nil }
        var merge = BodyMerge(new, old)
        guard merge.object(newRoot, oldRoot, plan) else { return nil }
        return merge.writer.bytes
    }

    /// A member of the newly encoded object.
    private struct Member {
        let name: JSONBElement
        let value: JSONBElement
        /// The index of the member in the plan of the object's type; nil for a member that isn't in the plan, which a
        /// type adds in its own `encode(to:)`.
        let place: Int?
        var isWritten = false
    }

    private func members(of object: JSONBElement, _ plan: ObjectPlan) -> [Member] {
        var (members, offset, expected) = ([Member](), object.start, 0)
        while let member = ObjectMember(new.span, at: offset, limit: object.end) {
            let place = plan.place(of: member.name.text(in: new.span), expected: expected)
            expected = place.map { $0 + 1 } ?? expected
            members.append(Member(name: member.name, value: member.value, place: place))
            offset = member.value.end
        }
        return members
    }

    /// Writes an object that is merged from its new and its stored form.
    ///
    /// - Returns: false if the old object is damaged.
    private mutating func object(_ newObject: JSONBElement, _ oldObject: JSONBElement, _ plan: ObjectPlan) -> Bool {
        var members = members(of: newObject, plan)
        let begun = writer.begin(guess: max(newObject.end - newObject.start, oldObject.end - oldObject.start))
        var (offset, next) = (oldObject.start, 0)
        while offset < oldObject.end {
            guard let stored = ObjectMember(old.span, at: offset, limit: oldObject.end) else { return false }
            let start = offset
            offset = stored.value.end
            let expected = next < members.count && isSame(members[next].name, stored.name)
            guard let index = expected ? next : members.firstIndex(where: { isSame($0.name, stored.name) }) else {
                if let index = heir(of: stored, in: oldObject, members, plan) {
                    guard write(&members[index], over: nil, plan) else { return false }
                } else if !plan.knows(stored.name.text(in: old.span)) {
                    let old = old
                    writer.raw(old.span, start, offset)
                }
                continue
            }
            next = index + 1
            guard write(&members[index], over: stored.value, plan) else { return false }
        }
        for index in members.indices where !members[index].isWritten {
            guard write(&members[index], over: nil, plan) else { return false }
        }
        writer.end(JSONBType.object, begun)
        return true
    }

    private func isSame(_ name: JSONBElement, _ stored: JSONBElement) -> Bool {
        ValueOrder.comparePayloads(name, new.span, stored, old.span) == 0
    }

    /// Returns the index of the new member that takes the position of a stored member whose name is one of its earlier
    /// names; nil if no member of the plan had that name, or if a member with the present name is stored too.
    private func heir(
        of stored: ObjectMember, in object: JSONBElement, _ members: [Member], _ plan: ObjectPlan
    ) -> Int? {
        guard let place = plan.heir(of: stored.name.text(in: old.span)),
            let index = members.firstIndex(where: { $0.place == place && !$0.isWritten })
        else { return nil }
        let name = members[index].name.text(in: new.span)
        return object.member(Array(name.utf8).span, in: old.span) == nil ? index : nil
    }

    private mutating func write(_ member: inout Member, over stored: JSONBElement?, _ plan: ObjectPlan) -> Bool {
        // A member whose name is stored twice is written once.
        guard !member.isWritten else { return true }
        member.isWritten = true
        let new = new
        writer.element(member.name.type, new.span, member.name.start, member.name.end)
        return write(member.value, over: stored, member.place.map { plan.members[$0].value } ?? .mixed)
    }

    private mutating func write(_ value: JSONBElement, over stored: JSONBElement?, _ plan: ValuePlan) -> Bool {
        let (new, old) = (new, old)
        if let stored {
            if case .object(let plan) = plan, value.type == JSONBType.object, stored.type == JSONBType.object {
                return object(value, stored, plan)
            }
            if isSame(value, stored, plan) {
                writer.element(stored.type, old.span, stored.start, stored.end)
                return true
            }
        }
        writer.element(value.type, new.span, value.start, value.end)
        return true
    }

    /// Returns whether a value equals the stored value, even if their stored forms differ. For mixed values the stored
    /// forms must be equal too.
    private func isSame(_ value: JSONBElement, _ stored: JSONBElement, _ plan: ValuePlan) -> Bool {
        switch plan {
        case .mixed: return value.type == stored.type && isSame(value, stored)
        case .plain, .own, .link, .object, .array:
            return StoredValue.compare(value, in: new.span, to: stored, in: old.span) == 0
        case .set:
            guard stored.type == JSONBType.array else { return false }
            return isSame(value, JSONBWriter.sortedItems(old, stored.start..<stored.end), stored)
        case .dictionary:
            guard stored.type == JSONBType.object else { return false }
            return isSame(value, JSONBWriter.sortedMembers(old, stored.start..<stored.end), stored)
        }
    }

    /// Returns whether a value equals the stored value. `sorted` has the bytes of the stored value with its items or
    /// members sorted; nil if they are already in this order.
    private func isSame(_ value: JSONBElement, _ sorted: [UInt8]?, _ stored: JSONBElement) -> Bool {
        guard let sorted else { return StoredValue.compare(value, in: new.span, to: stored, in: old.span) == 0 }
        let whole = JSONBElement(stored.type, payload: 0..<sorted.count)
        return StoredValue.compare(value, in: new.span, to: whole, in: sorted.span) == 0
    }
}

extension ObjectPlan {
    /// Returns the index in the plan of the member that has a name among its earlier names; nil if there is none.
    fileprivate func heir(of name: String) -> Int? {
        members.firstIndex { $0.renamedFrom.contains { ExactText.areSame($0, name) } }
    }

    /// Returns whether a name is the present or an earlier name of one of the type's members, other than its ID. A
    /// stored member with such a name that the new object lacks is nil now.
    fileprivate func knows(_ name: String) -> Bool {
        guard let place = place(of: name, expected: 0) else { return heir(of: name) != nil }
        // A stored member with the ID's name isn't the ID.
        return place != keyIndex
    }
}

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

/// Writes a body with a delta applied to it.
struct DeltaPatch: ~Copyable {
    /// A part of the delta, and the offset of its header.
    struct Change {
        let element: JSONBElement
        let start: Int
    }

    /// A value of the body that is changed, and the offset of its header.
    struct Base {
        let element: JSONBElement
        let start: Int
    }

    /// The number of an object's changes up to which each member of the body is compared with every one of them, instead
    /// of a lookup in a table.
    private static let fewChanges = 8

    private var output: JSONBWriter
    private let limit: Int
    private let allowsEmptyNames: Bool

    init(capacity: Int, limit: Int, allowsEmptyNames: Bool) {
        output = JSONBWriter(capacity: min(capacity, limit) + 16)
        (self.limit, self.allowsEmptyNames) = (limit, allowsEmptyNames)
    }

    /// Ends the patch and returns the new body.
    consuming func finish() throws(JSONDeltaError) -> [UInt8] {
        guard output.count <= limit else { throw .tooLarge }
        guard output.count > 0, output[0] & 15 == JSONBType.object else { throw .inapplicable(.notAnObject) }
        return output.bytes
    }

    /// Writes what a change makes of a value, nil for one that doesn't exist.
    ///
    /// - Returns: false if the change removes the value, in which case nothing was written.
    @discardableResult
    mutating func apply(
        _ change: Change, _ delta: borrowing Span<UInt8>, to base: Base?, _ old: borrowing Span<UInt8>
    ) throws(JSONDeltaError) -> Bool {
        switch change.element.type {
        case JSONBType.array:
            return try replace(change.element, delta, base, old)
        case JSONBType.object:
            guard let base else { throw .inapplicable(.missingValue) }
            if change.element.start == change.element.end {
                output.raw(old, base.start, base.element.end)
            } else if base.element.type == JSONBType.object {
                try members(change.element, delta, base.element, old)
            } else if base.element.type == JSONBType.array {
                try items(change.element, delta, base.element, old)
            } else {
                throw .inapplicable(.membersOfScalar)
            }
        default:
            output.raw(delta, change.start, change.element.end)
        }
        guard output.count <= limit else { throw .tooLarge }
        return true
    }

    // MARK: - Whole values

    /// Applies an array of a delta: `[]` removes, `[new]` and `[old, new]` replace, `[old, 0, 0]` removes, and
    /// `[operations, 0, 2]` changes a text.
    private mutating func replace(
        _ array: JSONBElement, _ delta: borrowing Span<UInt8>, _ base: Base?, _ old: borrowing Span<UInt8>
    ) throws(JSONDeltaError) -> Bool {
        let count = array.itemCount(in: delta)
        if count != 1, base == nil { throw .inapplicable(.missingValue) }
        var start = array.start
        func next() -> Change? {
            JSONBElement(delta, at: start, limit: array.end).map { Change(element: $0, start: start) }
        }
        switch count {
        case 0: return false
        case 1, 2:
            if count == 2, let first = next() { start = first.element.end }
            guard let value = next() else { throw .inapplicable(.unknownForm) }
            output.raw(delta, value.start, value.element.end)
        case 3:
            guard let first = next() else { throw .inapplicable(.unknownForm) }
            start = first.element.end
            guard let second = next() else { throw .inapplicable(.unknownForm) }
            start = second.element.end
            guard let mode = next()?.element, mode.type == JSONBType.integer, mode.end - mode.start == 1 else {
                throw .inapplicable(.unknownForm)
            }
            switch delta[mode.start] {
            case UInt8(ascii: "0"): return false
            case UInt8(ascii: "2"): try text(first.element, delta, base, old)
            default: throw .inapplicable(.unknownForm)
            }
        default: throw .inapplicable(.unknownForm)
        }
        guard output.count <= limit else { throw .tooLarge }
        return true
    }

    private mutating func text(
        _ operations: JSONBElement, _ delta: borrowing Span<UInt8>, _ base: Base?, _ old: borrowing Span<UInt8>
    ) throws(JSONDeltaError) {
        guard let base = base?.element, base.isString, operations.isString else { throw .inapplicable(.notText) }
        var text = GrowingBytes(capacity: base.end - base.start + operations.end - operations.start)
        try TextDelta.apply(
            delta.extracting(operations.start..<operations.end), to: old.extracting(base.start..<base.end), into: &text)
        let utf8 = text.array
        guard utf8.span.isUTF8 else { throw .inapplicable(.notUTF8) }
        output.element(JSONBWriter.stringType(utf8.span), utf8.span, 0, utf8.count)
    }

    // MARK: - Objects

    private mutating func members(
        _ changes: JSONBElement, _ delta: borrowing Span<UInt8>, _ base: JSONBElement, _ old: borrowing Span<UInt8>
    ) throws(JSONDeltaError) {
        let noName: [UInt8] = []
        guard allowsEmptyNames || changes.member(noName.span, in: delta) == nil else { throw .emptyName }
        guard var pending = PendingChanges(changes, delta, fewChanges: Self.fewChanges) else { throw .damagedBase }
        let begun = output.begin(guess: base.end - base.start)
        var (offset, copied) = (base.start, base.start)
        while offset < base.end {
            guard let label = JSONBElement(old, at: offset, limit: base.end), label.isString,
                let value = JSONBElement(old, at: label.end, limit: base.end)
            else { throw .damagedBase }
            if let change = pending.take(label, old, delta) {
                output.raw(old, copied, offset)
                let mark = output.count
                output.raw(old, offset, label.end)
                let isKept = try apply(change, delta, to: Base(element: value, start: label.end), old)
                if !isKept { output.remove(mark..<output.count) }
                copied = value.end
            }
            offset = value.end
        }
        output.raw(old, copied, base.end)
        try pending.forEachLeft { label, labelStart, change throws(JSONDeltaError) in
            output.raw(delta, labelStart, label.end)
            try apply(change, delta, to: nil, old)
        }
        output.end(JSONBType.object, begun)
    }

    // MARK: - Arrays

    /// A change of an array: of the item at an index, or of all from there on.
    private struct ItemChange {
        let index: Int
        let isRest: Bool
        let change: Change
    }

    private mutating func items(
        _ changes: JSONBElement, _ delta: borrowing Span<UInt8>, _ base: JSONBElement, _ old: borrowing Span<UInt8>
    ) throws(JSONDeltaError) {
        let sorted = try Self.itemChanges(changes, delta)
        let begun = output.begin(guess: base.end - base.start)
        var (offset, index, copied) = (base.start, 0, base.start)
        for (place, next) in sorted.enumerated() {
            while index < next.index, offset < base.end {
                guard let item = JSONBElement(old, at: offset, limit: base.end) else { throw .damagedBase }
                (offset, index) = (item.end, index + 1)
            }
            guard index == next.index else { throw .inapplicable(.unknownIndex) }
            output.raw(old, copied, offset)
            if next.isRest {
                guard place == sorted.count - 1, next.change.element.type == JSONBType.array else {
                    throw .inapplicable(.remainder)
                }
                output.raw(delta, next.change.element.start, next.change.element.end)
                (offset, copied) = (base.end, base.end)
            } else {
                guard let item = JSONBElement(old, at: offset, limit: base.end) else {
                    throw offset == base.end ? .inapplicable(.unknownIndex) : .damagedBase
                }
                guard try apply(next.change, delta, to: Base(element: item, start: offset), old) else {
                    throw .inapplicable(.removedItem)
                }
                (offset, index, copied) = (item.end, index + 1, item.end)
            }
        }
        output.raw(old, copied, base.end)
        output.end(JSONBType.array, begun)
    }

    private static func itemChanges(
        _ changes: JSONBElement, _ delta: borrowing Span<UInt8>
    ) throws(JSONDeltaError) -> [ItemChange] {
        var list: [ItemChange] = []
        var (offset, isSorted) = (changes.start, true)
        while offset < changes.end {
            guard let label = JSONBElement(delta, at: offset, limit: changes.end),
                let value = JSONBElement(delta, at: label.end, limit: changes.end)
            else { throw .inapplicable(.unknownForm) }
            let isRest = label.start < label.end && delta[label.end - 1] == UInt8(ascii: "-")
            guard let index = Self.index(delta, label.start, isRest ? label.end - 1 : label.end) else {
                throw .inapplicable(.unknownIndex)
            }
            if let last = list.last, last.index >= index { isSorted = false }
            list.append(ItemChange(index: index, isRest: isRest, change: Change(element: value, start: label.end)))
            offset = value.end
        }
        if !isSorted { list.sort { ($0.index, $0.isRest ? 1 : 0) < ($1.index, $1.isRest ? 1 : 0) } }
        return list
    }

    /// Returns the number that a range of digits is in the only form that a delta has; nil for anything else.
    private static func index(_ bytes: borrowing Span<UInt8>, _ start: Int, _ end: Int) -> Int? {
        guard start < end, end - start <= 9, end - start == 1 || bytes[start] != 0x30 else { return nil }
        var value = 0
        for index in start..<end {
            guard bytes[index] >= 0x30, bytes[index] <= 0x39 else { return nil }
            value = value * 10 + Int(bytes[index] - 0x30)
        }
        return value
    }
}

/// The changes of an object's members that weren't applied yet.
private struct PendingChanges {
    private var few: [MemberTable.Member] = []
    /// The indexes in `few` of the changes that were applied, as bits.
    private var taken = 0
    private var table: MemberTable?

    /// nil if the delta's object is damaged, which one that was parsed isn't.
    init?(_ changes: JSONBElement, _ delta: borrowing Span<UInt8>, fewChanges: Int) {
        var offset = changes.start
        few.reserveCapacity(fewChanges)
        while offset < changes.end {
            guard let label = JSONBElement(delta, at: offset, limit: changes.end),
                let value = JSONBElement(delta, at: label.end, limit: changes.end)
            else { return nil }
            guard few.count < fewChanges else {
                guard let made = MemberTable(changes, delta) else { return nil }
                (table, few) = (made, [])
                return
            }
            few.append(MemberTable.Member(start: offset, label: label, value: value))
            offset = value.end
        }
    }

    /// Returns the change of the member that `label` names, and notes that it was applied; nil if there is none.
    mutating func take(
        _ label: JSONBElement, _ old: borrowing Span<UInt8>, _ delta: borrowing Span<UInt8>
    ) -> DeltaPatch.Change? {
        if table != nil {
            return table?.find(label, in: old, delta)?.change
        }
        for index in few.indices where few[index].label.hasSamePayload(as: label, in: old, delta) {
            taken |= 1 << index
            return few[index].change
        }
        return nil
    }

    /// Calls `body` with each change of a member that wasn't found, in the delta's order.
    func forEachLeft(
        _ body: (JSONBElement, Int, DeltaPatch.Change) throws(JSONDeltaError) -> Void
    ) throws(JSONDeltaError) {
        if let table {
            for (index, member) in table.members.enumerated() where !table.isFound[index] {
                try body(member.label, member.start, member.change)
            }
        } else {
            for (index, member) in few.enumerated() where taken & 1 << index == 0 {
                try body(member.label, member.start, member.change)
            }
        }
    }
}

extension MemberTable.Member {
    fileprivate var change: DeltaPatch.Change { DeltaPatch.Change(element: value, start: label.end) }
}

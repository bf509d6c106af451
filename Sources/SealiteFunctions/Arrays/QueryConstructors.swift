import SealiteJSON

extension QueryFunction {
    /// The SQL functions that create arrays and objects from values or from other arrays and objects.
    static let constructors: [QueryFunction] = [
        .init("query_array", 0...many) { call in
            var writer = JSONBWriter()
            let begun = writer.begin(guess: 8 * call.count)
            for index in 0..<call.count where !call[index].isMissing { writer.append(call[index]) }
            writer.end(JSONBType.array, begun)
            call.give(writer)
        },
        .init("query_object", 0...many, object),
        .init("query_object_merge", 2) { call in
            guard !call.propagates(2) else { return }
            guard let left = call[0].object, let right = call[1].object else { return call.giveNull() }
            call.give(merged(left, right))
        },
        .init("query_slice", 3, slice),
    ]

    /// The SQL function `query_object(name, value, …)`: an object without the members whose value is MISSING; the last
    /// member of each name wins.
    private static func object(_ call: QueryCall) {
        guard call.count % 2 == 0 else { return call.giveNull() }
        var writer = JSONBWriter()
        let begun = writer.begin(guess: 8 * call.count)
        for index in stride(from: 0, to: call.count, by: 2) {
            let (name, value) = (call[index], call[index + 1])
            guard !value.isMissing, !name.isMissing else { continue }
            guard name.text != nil else { return call.giveNull() }
            guard !hasLater(name, behind: index, call) else { continue }
            writer.append(name)
            writer.append(value)
        }
        writer.end(JSONBType.object, begun)
        call.give(writer)
    }

    private static func hasLater(_ name: QueryValue, behind index: Int, _ call: QueryCall) -> Bool {
        stride(from: index + 2, to: call.count, by: 2).contains { other in
            QueryComparison.areEqual(call[other], name) && !call[other + 1].isMissing
        }
    }

    /// Returns an object of the members of two objects; if both have a name, the member of the second one is used.
    private static func merged(_ left: QueryBytes, _ right: QueryBytes) -> JSONBWriter {
        var writer = JSONBWriter(capacity: left.count + right.count + 16)
        let begun = writer.begin(guess: left.count + right.count)
        let (leftBytes, rightBytes) = unsafe (left.payload.span, right.payload.span)
        let replacing = ObjectMember.sorted(right.element, rightBytes)
        var offset = 0
        while let member = ObjectMember(leftBytes, at: offset, limit: left.count) {
            offset = member.value.end
            guard !hasMember(replacing, rightBytes, named: member.name, leftBytes) else { continue }
            writer.append(member.name, in: leftBytes)
            writer.append(member.value, in: leftBytes)
        }
        offset = 0
        while let member = ObjectMember(rightBytes, at: offset, limit: right.count) {
            offset = member.value.end
            writer.append(member.name, in: rightBytes)
            writer.append(member.value, in: rightBytes)
        }
        writer.end(JSONBType.object, begun)
        return writer
    }

    /// Returns whether members that are sorted by their names contain one with the given name.
    private static func hasMember(
        _ members: [ObjectMember], _ bytes: borrowing Span<UInt8>, named name: JSONBElement,
        _ nameBytes: borrowing Span<UInt8>
    ) -> Bool {
        var (low, high) = (0, members.count)
        while low < high {
            let middle = (low + high) / 2
            let order = ValueOrder.comparePayloads(members[middle].name, bytes, name, nameBytes)
            if order == 0 { return true }
            if order < 0 { low = middle + 1 } else { high = middle }
        }
        return false
    }

    /// The SQL function `query_slice(array, from, to)`: the items of an array from an index up to, but without, another
    /// one; negative indices count from the end, MISSING is unbounded.
    private static func slice(_ call: QueryCall) {
        guard let array = call[0].array else { return }
        let bytes = unsafe array.payload
        let count = unsafe array.element.itemCount(in: bytes.span)
        guard let from = bound(call[1], count, open: 0), let to = bound(call[2], count, open: count) else {
            return call.giveNull()
        }
        var writer = JSONBWriter()
        let begun = writer.begin(guess: array.count)
        var (offset, index) = (0, 0)
        while index < to, let item = unsafe JSONBElement(bytes.span, at: offset, limit: bytes.count) {
            if index >= from { unsafe writer.append(item, in: bytes.span) }
            (offset, index) = (item.end, index + 1)
        }
        writer.end(JSONBType.array, begun)
        call.give(writer)
    }

    /// Returns the index in an array of `count` items that an argument of a slice denotes, clamped to the array: `open`
    /// for MISSING, nil for a value that isn't an index.
    private static func bound(_ value: QueryValue, _ count: Int, open: Int) -> Int? {
        if value.isMissing { return open }
        guard let index = value.wholeNumber else { return nil }
        let place = index < 0 ? Int(index) &+ count : Int(index)
        return min(max(place, 0), count)
    }
}

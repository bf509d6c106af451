import SealiteJSON

extension QueryFunction {
    /// The SQL functions that combine arrays or rearrange the items of one, with the result MISSING if an argument is
    /// MISSING, and otherwise NULL if one isn't an array; and `query_array_position` and `query_array_star`.
    static let arraySets: [QueryFunction] = [
        .init("query_array_concat", 2...many) { call in
            combine(call) { arrays, output in
                for array in arrays { output.raw(unsafe array.payload.span, 0, array.count) }
            }
        },
        .init("query_array_reverse", 1) { call in
            combine(call) { arrays, output in append(items(arrays).reversed(), of: arrays, &output) }
        },
        .init("query_array_union", 2...many) { call in
            combine(call) { arrays, output in append(firsts(of: arrays, inAtLeast: 1), of: arrays, &output) }
        },
        .init("query_array_intersect", 2...many) { call in
            combine(call) { arrays, output in append(firsts(of: arrays, inAtLeast: arrays.count), of: arrays, &output) }
        },
        .init("query_array_position", 2) { call in
            guard !call.propagates(2) else { return }
            guard let array = call[0].array else { return call.giveNull() }
            var elements = QueryElements(array)
            while let element = elements.next() {
                if QueryComparison.areEqual(element.value, call[1]) { return call.give(Int64(element.index)) }
            }
            call.give(-1 as Int64)
        },
        .init("query_array_star", 1...2) { call in
            if let name = call.optional(1) { collect(call, name) } else { collectAll(call) }
        },
    ]

    /// An item of one of several arrays.
    private struct Item {
        /// The number of the array, from 0.
        let array: Int
        let element: JSONBElement
        /// The number of the item among the items of all arrays, from 0.
        let index: Int
    }

    /// Sets the result to an array of the elements that `body` appends, given the arrays that are the arguments; to
    /// MISSING if an argument is MISSING, and otherwise to NULL if one isn't an array.
    private static func combine(_ call: QueryCall, _ body: ([QueryBytes], inout JSONBWriter) -> Void) {
        guard !call.hasMissing() else { return }
        let arrays = (0..<call.count).compactMap { call[$0].array }
        guard arrays.count == call.count else { return call.giveNull() }
        let byteCount = arrays.reduce(0) { $0 + $1.count }
        var writer = JSONBWriter(capacity: byteCount + 16)
        let begun = writer.begin(guess: byteCount)
        body(arrays, &writer)
        writer.end(JSONBType.array, begun)
        call.give(writer)
    }

    private static func items(_ arrays: [QueryBytes]) -> [Item] {
        var items: [Item] = []
        for (number, array) in arrays.enumerated() {
            var elements = QueryElements(array)
            while let element = elements.next() {
                items.append(Item(array: number, element: element.place, index: items.count))
            }
        }
        return items
    }

    private static func append(_ items: [Item], of arrays: [QueryBytes], _ output: inout JSONBWriter) {
        for item in items { output.append(item.element, in: unsafe arrays[item.array].payload.span) }
    }

    /// Returns the distinct items that are in at least `count` of the arrays, in the order of their first occurrences;
    /// of equal items the first.
    private static func firsts(of arrays: [QueryBytes], inAtLeast count: Int) -> [Item] {
        func compare(_ left: Item, _ right: Item) -> Int {
            unsafe ValueOrder.queries.compare(
                left.element, in: arrays[left.array].payload.span, right.element, in: arrays[right.array].payload.span)
        }
        let sorted = items(arrays).sorted { left, right in
            let order = compare(left, right)
            return order != 0 ? order < 0 : left.index < right.index
        }
        var (found, start) = ([Item](), 0)
        while start < sorted.count {
            // Equal items are in the order of their arrays.
            var (end, arrayCount) = (start + 1, 1)
            while end < sorted.count, compare(sorted[start], sorted[end]) == 0 {
                if sorted[end].array != sorted[end - 1].array { arrayCount += 1 }
                end += 1
            }
            if arrayCount >= count { found.append(sorted[start]) }
            start = end
        }
        return found.sorted { $0.index < $1.index }
    }
}

extension QueryFunction {
    /// Sets the result to an array with an item for each item of the array in the first argument: the value of its
    /// member with the given name, or NULL if it has no such member. Sets it to MISSING if no item has the member.
    private static func collect(_ call: QueryCall, _ name: QueryValue) {
        guard let array = call[0].array, let name = name.text else { return }
        let (bytes, nameBytes) = unsafe (array.payload.span, name.payload.span)
        var writer = JSONBWriter(capacity: array.count + 16)
        let begun = writer.begin(guess: array.count)
        var isFound = false
        var elements = QueryElements(array)
        while let element = elements.next() {
            if let value = member(of: element.place, bytes, named: name.element, nameBytes) {
                writer.append(value, in: bytes)
                isFound = true
            } else {
                writer.null()
            }
        }
        writer.end(JSONBType.array, begun)
        if isFound { call.give(writer) }
    }

    private static func member(
        of item: JSONBElement, _ bytes: borrowing Span<UInt8>, named name: JSONBElement,
        _ nameBytes: borrowing Span<UInt8>
    ) -> JSONBElement? {
        guard item.type == JSONBType.object else { return nil }
        var offset = item.start
        while let member = ObjectMember(bytes, at: offset, limit: item.end) {
            if ValueOrder.comparePayloads(member.name, bytes, name, nameBytes) == 0 { return member.value }
            offset = member.value.end
        }
        return nil
    }

    /// A member of an object that is an item of an array.
    private struct ItemMember {
        /// The number of the item, from 0.
        let item: Int
        let name: JSONBElement
        let value: JSONBElement
    }

    /// Sets the result to an object with a member for each name that a member of the array's items has, in the order
    /// of the names: an array with an item for each item of the array, NULL where that has no such member.
    private static func collectAll(_ call: QueryCall) {
        if call[0].isMissing { return }
        guard let array = call[0].array else { return call.giveNull() }
        func order(_ left: ItemMember, _ right: ItemMember) -> Int {
            unsafe ValueOrder.comparePayloads(left.name, array.payload.span, right.name, array.payload.span)
        }
        let byName = members(of: array).sorted { left, right in
            let order = order(left, right)
            return order != 0 ? order < 0 : left.item < right.item
        }
        let starts = byName.indices.filter { $0 == 0 || order(byName[$0 - 1], byName[$0]) != 0 }
        let bytes = unsafe array.payload.span
        let itemCount = array.element.itemCount(in: bytes)
        let (size, overflows) = starts.count.multipliedReportingOverflow(by: itemCount)
        guard !overflows, size <= QueryText.maximumByteCount else { return call.giveNull() }
        var writer = JSONBWriter(capacity: array.count + 16)
        let begun = writer.begin(guess: array.count + size)
        for (number, start) in starts.enumerated() {
            let end = number + 1 < starts.count ? starts[number + 1] : byName.count
            writer.append(byName[start].name, in: bytes)
            let list = writer.begin(guess: itemCount)
            var next = start
            for item in 0..<itemCount {
                guard next < end, byName[next].item == item else {
                    writer.null()
                    continue
                }
                writer.append(byName[next].value, in: bytes)
                // A damaged object can have two members with one name.
                while next < end, byName[next].item == item { next += 1 }
            }
            writer.end(JSONBType.array, list)
        }
        writer.end(JSONBType.object, begun)
        call.give(writer)
    }

    private static func members(of array: QueryBytes) -> [ItemMember] {
        let bytes = unsafe array.payload.span
        var members: [ItemMember] = []
        var elements = QueryElements(array)
        while let element = elements.next() {
            guard element.place.type == JSONBType.object else { continue }
            var offset = element.place.start
            while let member = ObjectMember(bytes, at: offset, limit: element.place.end) {
                if member.name.isString {
                    members.append(ItemMember(item: element.index, name: member.name, value: member.value))
                }
                offset = member.value.end
            }
        }
        return members
    }
}

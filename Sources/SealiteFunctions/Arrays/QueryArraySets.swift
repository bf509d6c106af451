import SealiteJSON

extension QueryFunction {
    /// The SQL functions that combine arrays or rearrange the items of one, with the result MISSING if an argument is
    /// MISSING, and otherwise NULL if one isn't an array; and `query_array_position` and `query_array_star`.
    static let arraySets: [QueryFunction] = [
        .init("query_array_concat", 2...many) { call in
            try combine(call) { arrays, output in
                for array in arrays { output.raw(unsafe array.payload.span, 0, array.count) }
            }
        },
        .init("query_array_reverse", 1) { call in
            try combine(call) { arrays, output in append(try items(arrays, call).reversed(), of: arrays, &output) }
        },
        .init("query_array_union", 2...many) { call in
            try combine(call) { arrays, output in
                append(try firsts(of: arrays, inAtLeast: 1, call), of: arrays, &output)
            }
        },
        .init("query_array_intersect", 2...many) { call in
            try combine(call) { arrays, output in
                append(try firsts(of: arrays, inAtLeast: arrays.count, call), of: arrays, &output)
            }
        },
        .init("query_array_position", 2) { call in
            guard !call.propagates(2) else { return }
            guard let array = call[0].array else { return call.giveNull() }
            var elements = QueryElements(array)
            while let element = elements.next() {
                try call.chargeComparison(element.value, call[1])
                if QueryComparison.areEqual(element.value, call[1]) { return call.give(Int64(element.index)) }
            }
            call.give(-1 as Int64)
        },
        .init("query_array_star", 1...2) { call in
            if let name = call.optional(1) { try collect(call, name) } else { try collectAll(call) }
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
    private static func combine(_ call: QueryCall, _ body: ([QueryBytes], inout JSONBWriter) throws -> Void) throws {
        guard !call.hasMissing() else { return }
        let arrays = (0..<call.count).compactMap { call[$0].array }
        guard arrays.count == call.count else { return call.giveNull() }
        let byteCount = arrays.reduce(0) { $0 + $1.count }
        try call.checkMemory(byteCount)
        try call.charge(bytes: byteCount)
        var writer = JSONBWriter(capacity: byteCount + 16)
        let begun = writer.begin(guess: byteCount)
        try body(arrays, &writer)
        writer.end(JSONBType.array, begun)
        try call.give(writer)
    }

    private static func items(_ arrays: [QueryBytes], _ call: QueryCall) throws -> [Item] {
        let count = arrays.reduce(0) { unsafe $0 + $1.element.itemCount(in: $1.payload.span) }
        try call.charge(count)
        try call.checkMemory(count * MemoryLayout<Item>.stride)
        var items: [Item] = []
        items.reserveCapacity(count)
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
    private static func firsts(of arrays: [QueryBytes], inAtLeast count: Int, _ call: QueryCall) throws -> [Item] {
        func compare(_ left: Item, _ right: Item) throws -> Int {
            try call.charge(bytes: min(left.element.end - left.element.start, right.element.end - right.element.start))
            return unsafe ValueOrder.queries.compare(
                left.element, in: arrays[left.array].payload.span, right.element, in: arrays[right.array].payload.span)
        }
        let sorted = try items(arrays, call).sorted { left, right in
            let order = try compare(left, right)
            return order != 0 ? order < 0 : left.index < right.index
        }
        var (found, start) = ([Item](), 0)
        while start < sorted.count {
            // Equal items are in the order of their arrays.
            var (end, arrayCount) = (start + 1, 1)
            while end < sorted.count, try compare(sorted[start], sorted[end]) == 0 {
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
    private static func collect(_ call: QueryCall, _ name: FunctionValue) throws {
        guard let array = call[0].array, let name = name.text else { return }
        try call.charge(bytes: array.count)
        let (bytes, nameBytes) = unsafe (array.payload.span, name.payload.span)
        var writer = JSONBWriter(capacity: array.count + 16)
        let begun = writer.begin(guess: array.count)
        var isFound = false
        var elements = QueryElements(array)
        while let element = elements.next() {
            try call.charge(1)
            if let value = member(of: element.place, bytes, named: name.element, nameBytes) {
                writer.append(value, in: bytes)
                isFound = true
            } else {
                writer.null()
            }
        }
        writer.end(JSONBType.array, begun)
        if isFound { try call.give(writer) }
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
    private static func collectAll(_ call: QueryCall) throws {
        if call[0].isMissing { return }
        guard let array = call[0].array else { return call.giveNull() }
        func order(_ left: ItemMember, _ right: ItemMember) throws -> Int {
            try call.charge(bytes: min(left.name.end - left.name.start, right.name.end - right.name.start))
            return unsafe ValueOrder.comparePayloads(left.name, array.payload.span, right.name, array.payload.span)
        }
        let byName = try members(of: array, call).sorted { left, right in
            let order = try order(left, right)
            return order != 0 ? order < 0 : left.item < right.item
        }
        let starts = try byName.indices.filter { try $0 == 0 || order(byName[$0 - 1], byName[$0]) != 0 }
        let bytes = unsafe array.payload.span
        let itemCount = array.element.itemCount(in: bytes)
        let (size, overflows) = starts.count.multipliedReportingOverflow(by: itemCount)
        guard !overflows, size <= ValueText.maximumByteCount else { return call.giveNull() }
        try call.charge(size)
        try call.checkMemory(array.count + size)
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
        try call.give(writer)
    }

    private static func members(of array: QueryBytes, _ call: QueryCall) throws -> [ItemMember] {
        try call.charge(bytes: array.count)
        let bytes = unsafe array.payload.span
        var members: [ItemMember] = []
        var elements = QueryElements(array)
        while let element = elements.next() {
            try call.charge(1)
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

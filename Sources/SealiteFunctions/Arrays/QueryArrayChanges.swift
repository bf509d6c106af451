import SealiteJSON

extension QueryFunction {
    /// The SQL functions that derive an array from another one, with the result MISSING for MISSING and NULL for values
    /// that aren't arrays; and `query_array_range`.
    static let arrayChanges: [QueryFunction] = [
        .init("query_array_sort", 1) { call in
            change(call) { array, output in
                let bytes = unsafe array.payload.span
                for item in sorted(array) { output.append(item.element, in: bytes) }
            }
        },
        .init("query_array_distinct", 1) { call in change(call, distinct) },
        .init("query_array_append", 2...many) { call in
            guard !call.hasMissing() else { return }
            change(call) { array, output in
                output.raw(unsafe array.payload.span, 0, array.count)
                for index in 1..<call.count { output.append(call[index]) }
            }
        },
        .init("query_array_flatten", 2) { call in
            guard !call.propagates(2) else { return }
            guard let depth = call[1].wholeNumber else { return call.giveNull() }
            change(call) { array, output in
                let limit = depth < 0 ? JSONB.maximumDepth : Int(min(depth, Int64(JSONB.maximumDepth)))
                unsafe flatten(array.element, array.payload.span, limit, &output)
            }
        },
        .init("query_array_range", 2...3, range),
    ]

    /// An item of an array with its index.
    private struct Item {
        let element: JSONBElement
        let index: Int
    }

    /// Sets the result to an array of the elements that `body` appends, given the array in the first argument; to
    /// MISSING for MISSING, and to NULL for another value.
    private static func change(_ call: QueryCall, _ body: (QueryBytes, inout JSONBWriter) -> Void) {
        if call[0].isMissing { return }
        guard let array = call[0].array else { return call.giveNull() }
        var writer = JSONBWriter(capacity: array.count + 16)
        let begun = writer.begin(guess: array.count)
        body(array, &writer)
        writer.end(JSONBType.array, begun)
        call.give(writer)
    }

    private static func items(_ array: QueryBytes) -> [Item] {
        var items: [Item] = []
        var elements = QueryElements(array)
        while let element = elements.next() { items.append(Item(element: element.place, index: element.index)) }
        return items
    }

    /// Returns the items of an array, sorted in the order of values; the sort is stable.
    private static func sorted(_ array: QueryBytes) -> [Item] {
        let bytes = unsafe array.payload
        return items(array).sorted { left, right in
            let order = unsafe ValueOrder.queries.compare(
                left.element, in: bytes.span, right.element, in: bytes.span)
            return order != 0 ? order < 0 : left.index < right.index
        }
    }

    /// Appends the distinct items of an array in their order; of equal ones the first.
    private static func distinct(_ array: QueryBytes, _ output: inout JSONBWriter) {
        let bytes = unsafe array.payload.span
        var firsts: [Item] = []
        for item in sorted(array) {
            if let last = firsts.last,
                ValueOrder.queries.compare(last.element, in: bytes, item.element, in: bytes) == 0
            {
                continue
            }
            firsts.append(item)
        }
        firsts.sort { $0.index < $1.index }
        for item in firsts { output.append(item.element, in: bytes) }
    }

    /// Appends the items of an array. Nested arrays, down to `depth` levels, are replaced by their items.
    private static func flatten(
        _ array: JSONBElement, _ bytes: borrowing Span<UInt8>, _ depth: Int, _ output: inout JSONBWriter
    ) {
        var offset = array.start
        while let item = JSONBElement(bytes, at: offset, limit: array.end) {
            offset = item.end
            if item.type == JSONBType.array, depth > 0 {
                flatten(item, bytes, depth - 1, &output)
            } else {
                output.append(item, in: bytes)
            }
        }
    }

    /// The SQL function `query_array_range(from, to [, step])`: an array of the numbers from a start up to an end,
    /// which is excluded.
    private static func range(_ call: QueryCall) {
        guard !call.propagates(3) else { return }
        let step = call.optional(2) ?? .integer(1)
        guard let from = call[0].number, let to = call[1].number, let width = step.number, width != 0 else {
            return call.giveNull()
        }
        // The difference of large integers is exact only in integer arithmetic.
        var distance = to - from
        if case .integer(let first) = call[0], case .integer(let end) = call[1] {
            let (difference, overflows) = end.subtractingReportingOverflow(first)
            if !overflows { distance = Double(difference) }
        }
        let count = max((distance / width).rounded(.up), 0)
        guard count <= Double(QueryText.maximumByteCount / 8) else { return call.giveNull() }
        var writer = JSONBWriter()
        let begun = writer.begin(guess: Int(count) * 4)
        for index in 0..<Int64(count) {
            if case .integer(let first) = call[0], case .integer(let width) = step {
                writer.integer(first &+ index &* width)
            } else {
                writer.append(.double(from + Double(index) * width))
            }
        }
        writer.end(JSONBType.array, begun)
        call.give(writer)
    }
}

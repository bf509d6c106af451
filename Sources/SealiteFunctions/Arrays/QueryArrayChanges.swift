import SealiteJSON

extension QueryFunction {
    /// The SQL functions that derive an array from another one, with the result MISSING for MISSING and NULL for values
    /// that aren't arrays; and `query_array_range`.
    static let arrayChanges: [QueryFunction] = [
        .init("query_array_sort", 1) { call in
            try change(call) { array, output in
                try withSortedOffsets(array, call) { offsets in
                    for offset in offsets { try append(offset, of: array, call, &output) }
                }
            }
        },
        .init("query_array_distinct", 1) { call in
            try change(call) { array, output in try distinct(array, call, &output) }
        },
        .init("query_array_append", 2...many) { call in
            guard !call.hasMissing() else { return }
            try change(call) { array, output in
                output.raw(unsafe array.payload.span, 0, array.count)
                for index in 1..<call.count { output.append(call[index]) }
            }
        },
        .init("query_array_flatten", 2) { call in
            guard !call.propagates(2) else { return }
            guard let depth = call[1].wholeNumber else { return call.giveNull() }
            try change(call) { array, output in
                let limit = depth < 0 ? JSONB.maximumDepth : Int(min(depth, Int64(JSONB.maximumDepth)))
                try unsafe flatten(array.element, array.payload.span, limit, call, &output)
            }
        },
        .init("query_array_range", 2...3, range),
    ]

    /// Sets the result to an array of the elements that `body` appends, given the array in the first argument; to
    /// MISSING for MISSING, and to NULL for another value.
    private static func change(_ call: QueryCall, _ body: (QueryBytes, inout JSONBWriter) throws -> Void) throws {
        if call[0].isMissing { return }
        guard let array = call[0].array else { return call.giveNull() }
        try call.checkMemory(array.count)
        try call.charge(bytes: array.count)
        var writer = JSONBWriter(capacity: array.count + 16)
        let begun = writer.begin(guess: array.count)
        try body(array, &writer)
        writer.end(JSONBType.array, begun)
        try call.give(writer)
    }

    /// Appends the item of an array at an offset in its payload.
    private static func append(
        _ offset: UInt32, of array: QueryBytes, _ call: QueryCall, _ output: inout JSONBWriter
    ) throws {
        try call.charge(1)
        let bytes = unsafe array.payload.span
        guard let item = JSONBElement(bytes, at: Int(offset), limit: array.count) else { return }
        output.append(item, in: bytes)
    }

    /// Calls `body` with the offsets of the items of an array in its payload, in the order of the values; the sort is
    /// stable. An item takes four bytes of memory, and two more during the sort, since an array of the maximum size of
    /// a body has ten million items.
    private static func withSortedOffsets(
        _ array: QueryBytes, _ call: QueryCall, _ body: ([UInt32]) throws -> Void
    ) throws {
        let bytes = unsafe array.payload.span
        let count = array.element.itemCount(in: bytes)
        try call.charge(count)
        try call.withMemory(count * 6) {
            var offsets: [UInt32] = []
            offsets.reserveCapacity(count)
            var offset = 0
            while let item = JSONBElement(bytes, at: offset, limit: array.count), let place = UInt32(exactly: offset) {
                offsets.append(place)
                offset = item.end
            }
            try offsets.sort { left, right in
                let order = try compare(left, right, of: array, call)
                return order != 0 ? order < 0 : left < right
            }
            try body(offsets)
        }
    }

    /// Compares the items of an array at two offsets in its payload.
    private static func compare(_ left: UInt32, _ right: UInt32, of array: QueryBytes, _ call: QueryCall) throws -> Int
    {
        let bytes = unsafe array.payload.span
        guard let item = JSONBElement(bytes, at: Int(left), limit: array.count),
            let other = JSONBElement(bytes, at: Int(right), limit: array.count)
        else { return 0 }
        try call.charge(bytes: min(item.end - item.start, other.end - other.start))
        return ValueOrder.queries.compare(item, in: bytes, other, in: bytes)
    }

    /// Appends the distinct items of an array in their order; of equal ones the first.
    private static func distinct(_ array: QueryBytes, _ call: QueryCall, _ output: inout JSONBWriter) throws {
        // A bit for each byte of the array, which is set where an item begins that equals an earlier one.
        var repeated = [UInt64](repeating: 0, count: array.count / 64 + 1)
        try withSortedOffsets(array, call) { offsets in
            for index in offsets.indices.dropFirst()
            where try compare(offsets[index - 1], offsets[index], of: array, call) == 0 {
                repeated[Int(offsets[index]) / 64] |= 1 << UInt64(offsets[index] % 64)
            }
        }
        let bytes = unsafe array.payload.span
        var offset = 0
        while let item = JSONBElement(bytes, at: offset, limit: array.count) {
            try call.charge(1)
            if repeated[offset / 64] & 1 << UInt64(offset % 64) == 0 { output.append(item, in: bytes) }
            offset = item.end
        }
    }

    /// Appends the items of an array. Nested arrays, down to `depth` levels, are replaced by their items.
    private static func flatten(
        _ array: JSONBElement, _ bytes: borrowing Span<UInt8>, _ depth: Int, _ call: QueryCall,
        _ output: inout JSONBWriter
    ) throws {
        var offset = array.start
        while let item = JSONBElement(bytes, at: offset, limit: array.end) {
            offset = item.end
            try call.charge(1)
            if item.type == JSONBType.array, depth > 0 {
                try flatten(item, bytes, depth - 1, call, &output)
            } else {
                output.append(item, in: bytes)
            }
        }
    }

    /// The SQL function `query_array_range(from, to [, step])`: an array of the numbers from a start up to an end,
    /// which is excluded.
    private static func range(_ call: QueryCall) throws {
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
        guard count <= Double(ValueText.maximumByteCount / 8) else { return call.giveNull() }
        try call.charge(Int(count))
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
        try call.give(writer)
    }
}

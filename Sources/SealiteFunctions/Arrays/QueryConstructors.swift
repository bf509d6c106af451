import SealiteJSON

extension QueryFunction {
    /// The SQL functions that create arrays and objects from values or from other arrays and objects.
    static let constructors: [QueryFunction] = [
        .init("query_array", 0...many) { call in
            let size = try call.elementByteCount()
            var writer = JSONBWriter(capacity: size)
            let begun = writer.begin(guess: size)
            for index in 0..<call.count where !call[index].isMissing { writer.append(call[index]) }
            writer.end(JSONBType.array, begun)
            try call.give(writer)
        },
        .init("query_object", 0...many, object),
        .init("query_object_merge", 2) { call in
            guard !call.propagates(2) else { return }
            guard let left = call[0].object, let right = call[1].object else { return call.giveNull() }
            try call.give(merged(left, right, call))
        },
        .init("query_slice", 3, slice),
    ]

    /// The SQL function `query_object(name, value, …)`: an object without the members whose value is MISSING; the last
    /// member of each name wins.
    private static func object(_ call: QueryCall) throws {
        guard call.count % 2 == 0 else { return call.giveNull() }
        let size = try call.elementByteCount()
        var writer = JSONBWriter(capacity: size)
        let begun = writer.begin(guess: size)
        for index in stride(from: 0, to: call.count, by: 2) {
            let (name, value) = (call[index], call[index + 1])
            guard !value.isMissing, !name.isMissing else { continue }
            guard name.text != nil else { return call.giveNull() }
            guard !hasLater(name, behind: index, call) else { continue }
            writer.append(name)
            writer.append(value)
        }
        writer.end(JSONBType.object, begun)
        try call.give(writer)
    }

    private static func hasLater(_ name: FunctionValue, behind index: Int, _ call: QueryCall) -> Bool {
        stride(from: index + 2, to: call.count, by: 2).contains { other in
            QueryComparison.areEqual(call[other], name) && !call[other + 1].isMissing
        }
    }

    /// Returns an object of the members of two objects; if both have a name, the member of the second one is used.
    private static func merged(_ left: QueryBytes, _ right: QueryBytes, _ call: QueryCall) throws -> JSONBWriter {
        var writer = JSONBWriter(capacity: left.count + right.count + 16)
        let begun = writer.begin(guess: left.count + right.count)
        let (leftBytes, rightBytes) = unsafe (left.payload.span, right.payload.span)
        try call.checkMemory(left.count + right.count)
        try call.charge(bytes: left.count + right.count)
        let replacing = SortedMembers(right.element, rightBytes)
        try call.charge(replacing.count)
        var offset = 0
        while let member = ObjectMember(leftBytes, at: offset, limit: left.count) {
            offset = member.value.end
            try call.charge(1)
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
        _ members: SortedMembers, _ bytes: borrowing Span<UInt8>, named name: JSONBElement,
        _ nameBytes: borrowing Span<UInt8>
    ) -> Bool {
        var (low, high) = (0, members.count)
        while low < high {
            let middle = (low + high) / 2
            guard let member = members.member(middle, in: bytes) else { return false }
            let order = ValueOrder.comparePayloads(member.name, bytes, name, nameBytes)
            if order == 0 { return true }
            if order < 0 { low = middle + 1 } else { high = middle }
        }
        return false
    }

    /// The SQL function `query_slice(array, from, to)`: the items of an array from an index up to, but without, another
    /// one; negative indices count from the end, MISSING is unbounded.
    private static func slice(_ call: QueryCall) throws {
        guard let array = call[0].array else { return }
        let bytes = unsafe array.payload
        let count = unsafe array.element.itemCount(in: bytes.span)
        try call.charge(count)
        guard let from = bound(call[1], count, open: 0), let to = bound(call[2], count, open: count) else {
            return call.giveNull()
        }
        var writer = JSONBWriter()
        let begun = writer.begin(guess: array.count)
        var (offset, index) = (0, 0)
        try call.charge(bytes: array.count)
        while index < to, let item = unsafe JSONBElement(bytes.span, at: offset, limit: bytes.count) {
            if index >= from { unsafe writer.append(item, in: bytes.span) }
            (offset, index) = (item.end, index + 1)
        }
        writer.end(JSONBType.array, begun)
        try call.give(writer)
    }

    /// Returns the index in an array of `count` items that an argument of a slice denotes, clamped to the array: `open`
    /// for MISSING, nil for a value that isn't an index.
    private static func bound(_ value: FunctionValue, _ count: Int, open: Int) -> Int? {
        if value.isMissing { return open }
        guard let index = value.wholeNumber else { return nil }
        let place = index < 0 ? Int(index) &+ count : Int(index)
        return min(max(place, 0), count)
    }
}

extension QueryCall {
    /// Returns an upper bound of the bytes of an array or object with the call's arguments as its elements, for which
    /// the caller can allocate memory at once.
    ///
    /// - Throws: `tooLarge` if the array or object would be longer than SQLite's values may be.
    fileprivate func elementByteCount() throws(CallFailure) -> Int {
        var size = 16
        for index in 0..<count { size += self[index].elementByteCount }
        guard size <= maximumByteCount + 16 + 8 * count else { throw .tooLarge }
        try checkMemory(size)
        try charge(bytes: size)
        return size
    }
}

extension FunctionValue {
    /// An upper bound of the bytes of the value as a JSONB element.
    fileprivate var elementByteCount: Int {
        switch self {
        case .missing, .null, .boolean: 1
        case .integer, .double: 32
        case .bigNumber(let content), .string(let content), .array(let content), .object(let content):
            content.count + 5
        }
    }
}

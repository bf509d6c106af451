import SealiteJSON

extension QueryFunction {
    /// The SQL functions that return an array of the names or values of an object's members, or of objects with both,
    /// in the order of the names: MISSING for MISSING, NULL for values that aren't objects.
    static let objects: [QueryFunction] = [
        list("query_object_keys") { member, bytes, output in output.append(member.name, in: bytes) },
        list("query_object_names") { member, bytes, output in output.append(member.name, in: bytes) },
        list("query_object_values") { member, bytes, output in output.append(member.value, in: bytes) },
        list("query_object_pairs") { member, bytes, output in
            let begun = output.begin(guess: member.value.end - member.name.start + 12)
            output.string("name")
            output.append(member.name, in: bytes)
            output.string("val")
            output.append(member.value, in: bytes)
            output.end(JSONBType.object, begun)
        },
    ]

    private static func list(
        _ name: StaticString,
        _ append: @escaping @Sendable (ObjectMember, borrowing Span<UInt8>, inout JSONBWriter) -> Void
    ) -> QueryFunction {
        .init(name, 1) { call in
            if call[0].isMissing { return }
            guard let object = call[0].object else { return call.giveNull() }
            let bytes = unsafe object.payload.span
            var writer = JSONBWriter(capacity: object.count + 16)
            let begun = writer.begin(guess: object.count)
            try call.charge(bytes: object.count)
            let members = SortedMembers(object.element, bytes)
            for index in 0..<members.count {
                try call.charge(1)
                if let member = members.member(index, in: bytes), member.name.isString {
                    append(member, bytes, &writer)
                }
            }
            writer.end(JSONBType.array, begun)
            try call.give(writer)
        }
    }
}

extension QueryFunction {
    /// The SQL functions that derive an object from other objects.
    static let objectChanges: [QueryFunction] = [
        .init("query_object_put", 3, put),
        .init("query_object_remove", 2...many, remove),
        .init("query_object_concat", 2...many, concat),
    ]

    /// The SQL function `query_object_put(object, name, value)`: the object with the value as the member of the name,
    /// at the place of the member that it replaces, or after the others; without that member if the value is MISSING.
    private static func put(_ call: QueryCall) throws {
        guard !call.propagates(2) else { return }
        guard let object = call[0].object, let name = call[1].text else { return call.giveNull() }
        try call.charge(bytes: object.count)
        let (bytes, nameBytes) = unsafe (object.payload.span, name.payload.span)
        var writer = JSONBWriter(capacity: object.count + name.count + 32)
        let begun = writer.begin(guess: object.count)
        var isDone = call[2].isMissing
        var offset = 0
        while let member = ObjectMember(bytes, at: offset, limit: object.count) {
            offset = member.value.end
            guard ValueOrder.comparePayloads(member.name, bytes, name.element, nameBytes) == 0 else {
                writer.append(member.name, in: bytes)
                writer.append(member.value, in: bytes)
                continue
            }
            guard !isDone else { continue }
            writer.append(member.name, in: bytes)
            writer.append(call[2])
            isDone = true
        }
        if !isDone {
            writer.append(call[1])
            writer.append(call[2])
        }
        writer.end(JSONBType.object, begun)
        try call.give(writer)
    }

    /// The SQL function `query_object_remove(object, name, …)`: the object without the members of the names.
    private static func remove(_ call: QueryCall) throws {
        guard !call.propagates(call.count) else { return }
        let names = (1..<call.count).compactMap { call[$0].text }
        guard let object = call[0].object, names.count == call.count - 1 else { return call.giveNull() }
        try call.charge(bytes: object.count)
        let bytes = unsafe object.payload.span
        var writer = JSONBWriter(capacity: object.count + 16)
        let begun = writer.begin(guess: object.count)
        var offset = 0
        while let member = ObjectMember(bytes, at: offset, limit: object.count) {
            offset = member.value.end
            try call.charge(names.count)
            var isRemoved = false
            for name in names where !isRemoved {
                let order = unsafe ValueOrder.comparePayloads(member.name, bytes, name.element, name.payload.span)
                isRemoved = order == 0
            }
            guard !isRemoved else { continue }
            writer.append(member.name, in: bytes)
            writer.append(member.value, in: bytes)
        }
        writer.end(JSONBType.object, begun)
        try call.give(writer)
    }

    /// A member of one of several objects.
    private struct Member {
        /// The number of the object, from 0.
        let object: Int
        /// The number of the member among the members of all objects, from 0.
        let index: Int
        let member: ObjectMember
    }

    /// The SQL function `query_object_concat(a, b, …)`: the members of all objects; of those with one name the last.
    private static func concat(_ call: QueryCall) throws {
        guard !call.hasMissing() else { return }
        let objects = (0..<call.count).compactMap { call[$0].object }
        guard objects.count == call.count else { return call.giveNull() }
        let byteCount = objects.reduce(0) { $0 + $1.count }
        try call.checkMemory(byteCount)
        try call.charge(bytes: byteCount)
        var members: [Member] = []
        for (number, object) in objects.enumerated() {
            var offset = 0
            while let member = unsafe ObjectMember(object.payload.span, at: offset, limit: object.count) {
                members.append(Member(object: number, index: members.count, member: member))
                offset = member.value.end
            }
        }
        func compare(_ left: Member, _ right: Member) throws -> Int {
            let (name, other) = (left.member.name, right.member.name)
            try call.charge(bytes: min(name.end - name.start, other.end - other.start))
            return unsafe ValueOrder.comparePayloads(
                left.member.name, objects[left.object].payload.span, right.member.name,
                objects[right.object].payload.span)
        }
        let byName = try members.sorted { left, right in
            let order = try compare(left, right)
            return order != 0 ? order < 0 : left.index < right.index
        }
        let lasts = try byName.indices.filter {
            try $0 + 1 == byName.count || compare(byName[$0], byName[$0 + 1]) != 0
        }
        var writer = JSONBWriter(capacity: byteCount + 16)
        let begun = writer.begin(guess: byteCount)
        for one in lasts.map({ byName[$0] }).sorted(by: { $0.index < $1.index }) {
            let bytes = unsafe objects[one.object].payload.span
            writer.append(one.member.name, in: bytes)
            writer.append(one.member.value, in: bytes)
        }
        writer.end(JSONBType.object, begun)
        try call.give(writer)
    }
}

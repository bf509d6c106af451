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

internal import SealiteJSON

/// Converts Swift values to the stored form that they have as members of an object.
enum StoredForm {
    /// An object with one member.
    private struct Holder<V: Encodable>: Encodable {
        let value: V

        static var name: String { "value" }
    }

    /// Returns the stored form of a value; nil if the value is nil.
    ///
    /// - Throws: the errors of encoding the value.
    static func place<V: Encodable>(of value: V, _ plan: ValuePlan) throws -> StoredElement? {
        let member = MemberPlan(Holder<V>.name, plan, isOptional: false)
        let output = EncodingOutput(capacity: 64, userInfo: [:])
        let encoder = StoredEncoder(output, .object(ObjectPlan(name: "", members: [member])))
        try Holder(value: value).encode(to: encoder)
        try encoder.end()
        return StoredElement(root: output.writer.bytes)?.member(Holder<V>.name)
    }
}

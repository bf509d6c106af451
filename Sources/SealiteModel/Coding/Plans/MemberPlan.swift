internal import SealiteJSON
internal import SealiteValues

/// A member of the objects of a type, as far as decoding, encoding and merging depend on it.
struct MemberPlan: Sendable {
    /// The name of the member.
    let name: String
    /// The name as a JSONB element.
    let label: [UInt8]
    /// The plan for decoding and encoding the member's value.
    let value: ValuePlan
    /// A Boolean value that says whether the Swift property is optional, so that it is nil if the member is absent.
    let isOptional: Bool
    /// The value with which an absent member is decoded: the declared default, or the member's value in a newly
    /// initialized value of the type; nil if there is neither.
    let absent: AbsentValue?
    /// Earlier names of the member, the latest first.
    let renamedFrom: [String]
    /// The type of the member's values in the schema.
    let type: PropertyType
    /// The Swift type of the property; for an optional property, the type that it wraps.
    let swiftType: Any.Type

    init(
        _ name: String, _ value: ValuePlan, isOptional: Bool, absent: AbsentValue? = nil, renamedFrom: [String] = [],
        type: PropertyType = .mixed, swiftType: Any.Type = Any.self
    ) {
        (self.name, self.value, self.isOptional) = (name, value, isOptional)
        (self.type, self.swiftType) = (type, swiftType)
        (self.absent, self.renamedFrom) = (absent, renamedFrom)
        var writer = JSONBWriter(capacity: name.utf8.count + 8)
        writer.string(name)
        label = writer.bytes
    }
}

internal import SealiteJSON
internal import SealiteValues

/// A member of an object.
struct MemberPlan: Sendable {
    /// The name of the member.
    let name: String
    /// The name as a JSONB element.
    let label: [UInt8]
    /// The kind of its values.
    let value: ValuePlan
    /// A Boolean value that says whether the member may be absent; it is nil then.
    let isOptional: Bool
    /// The value of an absent member; nil if none is declared.
    let absent: AbsentValue?
    /// Earlier names, the latest first.
    let renamedFrom: [String]
    /// The type of its values in schemas.
    let type: PropertyType
    /// The Swift type that is decoded, without its optional.
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

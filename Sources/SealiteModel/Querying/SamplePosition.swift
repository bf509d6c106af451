internal import SealiteDatabase
internal import SealiteJSON
internal import SealiteValues

/// A position in objects of a type: a member, or a member of an embedded object.
struct SamplePosition {
    /// The path of the position, name by name.
    let names: [String]
    /// A Boolean value that says whether the position is the document's ID.
    let isID: Bool
    /// A Boolean value that says whether the member, or one that contains it, may be nil or absent.
    let mayBeNil: Bool
    /// The type of the member's values in schemas.
    let type: PropertyType
    /// The plan for writing the member's values.
    let plan: ValuePlan
    /// Two stored values, or fewer; nil is an absent member.
    let forms: [BSON?]
}

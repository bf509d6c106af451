internal import SealiteDatabase
internal import SealiteJSON
internal import SealiteValues

/// A position in objects of a type: a member, or a member of an embedded object.
struct SamplePosition {
    /// The names of the path from the object to the position.
    let names: [String]
    /// A Boolean value that says whether the position is the document's ID.
    let isID: Bool
    /// A Boolean value that says whether the member, or one that contains it, may be nil or absent.
    let mayBeNil: Bool
    /// The type of the member's values in the schema.
    let type: PropertyType
    /// The plan for encoding the member's values.
    let plan: ValuePlan
    /// The values of the member, in stored form, with which sample objects of the type are made: two, or fewer if the
    /// member's type doesn't have two values; nil is an absent member.
    let forms: [BSON?]
}

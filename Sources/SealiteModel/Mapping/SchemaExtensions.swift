internal import SealiteJSON
internal import SealiteValues

/// The member `sealite` of a schema or a property, with the properties of a type that JSON Schema can't express
/// (Documentation/Models.md §3).
struct SchemaExtensions {
    /// The name of the member: `sealite`.
    static let name = "sealite"

    /// The name of the primary key; `.null` if there is none, and nil if the member doesn't state it.
    var primaryKey: BSON?
    var link: String?
    var isIndexed = false
    var isOptional = false
    /// A Boolean value that says whether this position refers to the full definition of the type at an earlier
    /// position.
    var isDefined = false
    var renamedFrom: [String] = []
    var typeDescription: String?
    var removed: MongoDocument = [:]

    /// Creates extensions without any settings.
    init() {}

    /// Reads the value of the member `sealite`; nil if it is invalid. Unknown members of the value are ignored, as is
    /// the policy.
    init?(_ value: BSON?) {
        guard let value else { return }
        guard case .document(let members) = value else { return nil }
        for member in members { guard read(member) else { return nil } }
    }

    private mutating func read(_ member: MongoDocument.Member) -> Bool {
        switch (member.key, member.value) {
        case ("primaryKey", .string), ("primaryKey", .null): primaryKey = member.value
        case ("link", .string(let name)): link = name
        case ("indexed", .bool(let flag)): isIndexed = flag
        case ("optional", .bool(let flag)): isOptional = flag
        case ("defined", .bool(let flag)): isDefined = flag
        case ("description", .string(let text)): typeDescription = text
        case ("removed", .document(let properties)): removed = properties
        case ("renamedFrom", .array(let items)):
            renamedFrom = items.compactMap { if case .string(let name) = $0 { name } else { nil } }
            return renamedFrom.count == items.count
        case ("primaryKey", _), ("link", _), ("indexed", _), ("optional", _), ("description", _), ("removed", _),
            ("renamedFrom", _), ("defined", _):
            return false
        default: break
        }
        return true
    }
}

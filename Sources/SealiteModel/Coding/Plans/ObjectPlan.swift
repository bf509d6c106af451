internal import SealiteJSON
internal import SealiteValues

/// The reading and writing of an object of one type: derived once, used for every value.
final class ObjectPlan: Sendable {
    /// The type's name in schemas.
    let name: String
    /// The members in the order in which the type asks for them, the primary key among them.
    let members: [MemberPlan]
    /// The place of the member that is the document's ID; nil where none is.
    let keyIndex: Int?
    /// The name by which the type asks for the document's ID; nil where it doesn't.
    let keyName: String?
    private let places: [ExactText: Int]

    init(name: String, members: [MemberPlan], keyIndex: Int? = nil) {
        (self.name, self.members, self.keyIndex) = (name, members, keyIndex)
        keyName = keyIndex.map { members[$0].name }
        places = Dictionary(
            members.enumerated().map { (ExactText($1.name), $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the place of a member; it is mostly at `expected` or not far behind.
    @inline(__always)
    func place(of name: String, expected: Int) -> Int? {
        var place = expected
        while place < members.count {
            if members[place].name == name { return place }
            place += 1
        }
        return places[ExactText(name)]
    }
}

/// A member of an object.
struct MemberPlan: Sendable {
    /// The name.
    let name: String
    /// The name as a JSONB element.
    let label: [UInt8]
    /// The kind of its values.
    let value: ValuePlan
    /// A Boolean value that says whether the member may be absent, and is nil then.
    let isOptional: Bool
    /// The value of an absent member; nil where none is declared.
    let absent: AbsentValue?
    /// Earlier names, the latest first.
    let renamedFrom: [String]
    /// The type of its values in schemas.
    let type: PropertyType
    /// The Swift type that is read, without nil.
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

/// The value of an absent member.
enum AbsentValue: Sendable {
    /// Always the same one, in JSONB.
    case constant([UInt8])
    /// The one of a new value of the type, such as the present time: the closure gives the JSONB of a new value.
    case fresh(@Sendable () throws -> [UInt8])
}

/// The kind of a value, as far as reading, writing and merging treat kinds differently.
indirect enum ValuePlan: Sendable {
    /// A value that has a stored form of its own, or of which nothing is known.
    case plain
    /// A value that reads and writes itself, such as an enum.
    case own
    /// A value of any type.
    case mixed
    /// The key of another object.
    case link
    /// An object of a known type.
    case object(ObjectPlan)
    /// A list.
    case array(ValuePlan)
    /// A list without repetitions, in the order of values.
    case set(ValuePlan)
    /// Values by names, in the order of the names.
    case dictionary(ValuePlan)

    /// The plan of an object's members; nil for all other values.
    @inline(__always)
    var object: ObjectPlan? {
        if case .object(let plan) = self { plan } else { nil }
    }

    /// A Boolean value that says whether the type of such values may be one with a stored form of its own.
    @inline(__always)
    var hasOwnForm: Bool {
        switch self {
        case .plain, .mixed, .link: true
        case .own, .object, .array, .set, .dictionary: false
        }
    }

    /// The plan of what such a value reads and writes as itself.
    @inline(__always)
    var inside: ValuePlan { if case .own = self { .plain } else { self } }

    /// The plan of the items of a list, and of the values of a dictionary.
    var items: ValuePlan {
        switch self {
        case .array(let items), .set(let items), .dictionary(let items): items
        case .mixed: .mixed
        default: .plain
        }
    }
}

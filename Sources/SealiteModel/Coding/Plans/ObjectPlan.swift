internal import SealiteJSON
internal import SealiteValues

/// The plan for decoding and encoding objects of one type, derived once and used for every value.
final class ObjectPlan: Sendable {
    /// The type's name in schemas.
    let name: String
    /// The members in the order in which the type requests them, the primary key included.
    let members: [MemberPlan]
    /// The index of the member that is the document's ID; nil if there is none.
    let keyIndex: Int?
    /// The name with which the type requests the document's ID; nil if it doesn't.
    let keyName: String?
    private let places: [ExactText: Int]

    init(name: String, members: [MemberPlan], keyIndex: Int? = nil) {
        (self.name, self.members, self.keyIndex) = (name, members, keyIndex)
        keyName = keyIndex.map { members[$0].name }
        places = Dictionary(
            members.enumerated().map { (ExactText($1.name), $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the index of a member, which is mostly `expected` or shortly after it.
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

/// The value of an absent member.
enum AbsentValue: Sendable {
    /// A constant, in JSONB.
    case constant([UInt8])
    /// The value in a new value of the type, such as the present time: the closure returns it in JSONB.
    case fresh(@Sendable () throws -> [UInt8])
}

/// The kind of a value, as far as decoding, encoding and merging depend on it.
indirect enum ValuePlan: Sendable {
    /// A value with a stored form of its own, or of an unknown kind.
    case plain
    /// A value that encodes and decodes itself, such as an enum.
    case own
    /// A value of any type.
    case mixed
    /// The key of another object.
    case link
    /// An object of a known type.
    case object(ObjectPlan)
    /// A list.
    case array(ValuePlan)
    /// A set, sorted by value.
    case set(ValuePlan)
    /// A dictionary, sorted by name.
    case dictionary(ValuePlan)

    /// The plan of an object's members; nil for all other values.
    @inline(__always)
    var object: ObjectPlan? {
        if case .object(let plan) = self { plan } else { nil }
    }

    /// A Boolean value that says whether the type of such values may have a stored form of its own.
    @inline(__always)
    var hasOwnForm: Bool {
        switch self {
        case .plain, .mixed, .link: true
        case .own, .object, .array, .set, .dictionary: false
        }
    }

    /// The plan of the content that such a value encodes and decodes itself.
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

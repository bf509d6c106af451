internal import SealiteJSON

/// The plan for decoding and encoding objects of one type, derived once and used for every value.
package final class ObjectPlan: Sendable {
    /// The type's name in schemas.
    package let name: String
    /// The members in the order in which the type requests them, the primary key included.
    package let members: [MemberPlan]
    /// The index in ``members`` of the primary key, whose value is the document's ID; nil if there is none.
    package let keyIndex: Int?
    /// The name under which the type requests the document's ID; nil if it doesn't request the ID.
    let keyName: String?
    private let places: [ExactText: Int]

    package init(name: String, members: [MemberPlan], keyIndex: Int? = nil) {
        (self.name, self.members, self.keyIndex) = (name, members, keyIndex)
        keyName = keyIndex.map { members[$0].name }
        places = Dictionary(
            members.enumerated().map { (ExactText($1.name), $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the index of the member with a name, compared by bytes; it is mostly `expected` or shortly after it. Nil
    /// if there is none.
    @inline(__always)
    package func place(of name: String, expected: Int) -> Int? {
        var place = expected
        while place < members.count {
            if ExactText.areSame(members[place].name, name) { return place }
            place += 1
        }
        return places[ExactText(name)]
    }
}

/// A member of the objects of a type, as far as decoding, encoding and merging depend on it.
package struct MemberPlan: Sendable {
    /// The name of the member.
    package let name: String
    /// The name as a JSONB element.
    let label: [UInt8]
    /// The plan for decoding and encoding the member's value.
    package let value: ValuePlan
    /// A Boolean value that says whether the Swift property is optional, so that it is nil if the member is absent.
    package let isOptional: Bool
    /// The value with which an absent member is decoded: the declared default, or the member's value in a newly
    /// initialized value of the type; nil if there is neither.
    package let absent: AbsentValue?
    /// Earlier names of the member, the latest first.
    package let renamedFrom: [String]
    /// The description of the member that the layer which made the plan has added for itself.
    package let details: (any Sendable)?

    package init(
        _ name: String, _ value: ValuePlan, isOptional: Bool, absent: AbsentValue? = nil, renamedFrom: [String] = [],
        details: (any Sendable)? = nil
    ) {
        (self.name, self.value, self.isOptional) = (name, value, isOptional)
        (self.absent, self.renamedFrom, self.details) = (absent, renamedFrom, details)
        var writer = JSONBWriter(capacity: name.utf8.count + 8)
        writer.string(name)
        label = writer.bytes
    }
}

/// The kind of a value, as far as decoding, encoding and merging depend on it.
package indirect enum ValuePlan: Sendable {
    /// A value of a type with a stored form of its own, or of an unknown type.
    case plain
    /// A value of a type that encodes and decodes itself, such as an enum.
    case own
    /// A value of any type.
    case mixed
    /// A link: the primary key of another object.
    case link
    /// An object of a known type.
    case object(ObjectPlan)
    /// A list; the plan is that of its items.
    case array(ValuePlan)
    /// A set, stored as an array that is sorted by value; the plan is that of its items.
    case set(ValuePlan)
    /// A dictionary, stored as an object that is sorted by key; the plan is that of its values.
    case dictionary(ValuePlan)

    /// The plan of the object's members; nil if the value isn't an object of a known type.
    @inline(__always)
    package var object: ObjectPlan? {
        if case .object(let plan) = self { plan } else { nil }
    }

    /// A Boolean value that says whether the value's type may have a stored form of its own.
    @inline(__always)
    var hasOwnForm: Bool {
        switch self {
        case .plain, .mixed, .link: true
        case .own, .object, .array, .set, .dictionary: false
        }
    }

    /// The plan that the value's type uses inside its own `encode(to:)` and `init(from:)`.
    @inline(__always)
    var inside: ValuePlan { if case .own = self { .plain } else { self } }

    /// The plan of the items of a list or set, and of the values of a dictionary; for other values `mixed` inside a
    /// mixed value, and otherwise `plain`.
    package var items: ValuePlan {
        switch self {
        case .array(let items), .set(let items), .dictionary(let items): items
        case .mixed: .mixed
        default: .plain
        }
    }
}

/// The value with which an absent member is decoded.
package enum AbsentValue: Sendable {
    /// A constant, in JSONB.
    case constant([UInt8])
    /// The member's value in a newly initialized value of the type, such as the present time; the closure initializes
    /// one and returns the member's value in JSONB.
    case fresh(@Sendable () throws -> [UInt8])
}

internal import SealiteJSON
internal import SealiteValues

/// The kind of a value, as far as decoding, encoding and merging depend on it.
indirect enum ValuePlan: Sendable {
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
    var object: ObjectPlan? {
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
    var items: ValuePlan {
        switch self {
        case .array(let items), .set(let items), .dictionary(let items): items
        case .mixed: .mixed
        default: .plain
        }
    }
}

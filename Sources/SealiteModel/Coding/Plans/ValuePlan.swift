internal import SealiteJSON
internal import SealiteValues

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

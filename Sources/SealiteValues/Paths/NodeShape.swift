internal import SealiteJSON

/// The shape of a value, as far as paths depend on it.
@usableFromInline package enum NodeShape: Sendable {
    case object
    case array
    case scalar
}

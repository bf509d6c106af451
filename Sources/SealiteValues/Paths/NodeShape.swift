internal import SealiteJSON

/// The shape of a value, as far as it matters to a path that leads through the value.
@usableFromInline package enum NodeShape: Sendable {
    case object
    case array
    case scalar
}

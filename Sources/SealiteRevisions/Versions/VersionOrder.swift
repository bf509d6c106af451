/// The relation of one state of a document to another.
package enum VersionOrder: Sendable, Hashable {
    /// The states are equal.
    case same
    /// The other state descends from this one.
    case older
    /// This state descends from the other.
    case newer
    /// Neither state descends from the other state.
    case conflicting

    /// The relation of the other state to this one.
    package var reversed: VersionOrder {
        switch self {
        case .same, .conflicting: self
        case .older: .newer
        case .newer: .older
        }
    }
}

/// The relation of one state of a document to another one.
package enum VersionOrder: Sendable, Hashable {
    /// They are one state.
    case same
    /// The other one descends from it.
    case older
    /// It descends from the other one.
    case newer
    /// Neither descends from the other.
    case conflicting

    /// The relation of the other one to it.
    package var reversed: VersionOrder {
        switch self {
        case .same, .conflicting: self
        case .older: .newer
        case .newer: .older
        }
    }
}

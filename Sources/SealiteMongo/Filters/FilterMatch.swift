internal import SealiteJSON
internal import SealiteValues

/// The result of testing a document that fulfils a filter: the position of the array item to which the operator `$`
/// refers.
struct FilterMatch: Sendable {
    /// The index in the outermost array at which the last of the filter's conditions on an array found its value; nil
    /// if there is no such condition outside of alternatives and negations.
    let position: Int?
}

internal import SealiteJSON
internal import SealiteValues

/// The result of testing a document that fulfils a filter: the array element that the operator `$` refers to.
struct FilterMatch: Sendable {
    /// The index in the outermost array at which the filter's last condition on an array found its value; nil if the
    /// filter has no such condition.
    let position: Int?
}

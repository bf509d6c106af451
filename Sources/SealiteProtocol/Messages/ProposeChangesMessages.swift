internal import SealiteJSON
package import SealiteRevisions

extension ProposalDecision {
    /// The number that represents the decision in the reply to `proposeChanges`: 0 for a wanted revision, otherwise an
    /// HTTP status.
    package var status: Int {
        switch self {
        case .wanted: 0
        case .known: 304
        case .conflict: 409
        case .refused(let status): status
        }
    }
}

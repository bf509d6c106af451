internal import SealiteJSON
package import SealiteRevisions

extension ProposalDecision {
    /// The status that represents the verdict in a message.
    package var status: Int {
        switch self {
        case .wanted: 0
        case .known: 304
        case .conflict: 409
        case .refused(let status): status
        }
    }
}

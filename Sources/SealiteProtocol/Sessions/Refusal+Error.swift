internal import SealiteRevisions

extension Refusal {
    /// Creates the record of a change that the remote refused, from the resulting error.
    init(_ change: LocalChange, _ error: SessionError) {
        let (domain, code) =
            switch error.code {
            case .http(let status): ("HTTP", status)
            case .remote(let domain, let code): (domain, code)
            case .conflict: ("HTTP", 409)
            default: ("HTTP", 500)
            }
        self.init(
            documentID: change.documentID, version: change.version, sequence: change.sequence, domain: domain,
            code: code, reason: error.reason)
    }
}

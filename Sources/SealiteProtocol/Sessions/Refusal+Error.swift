internal import SealiteRevisions

extension Refusal {
    /// The maximum size of the reason and of the version of a stored refusal, in bytes.
    private static let (reasonByteCount, versionByteCount) = (2_000, 300)

    /// Creates the record of a change that the remote refused, from the resulting error.
    init(_ change: LocalChange, _ error: SessionError) {
        let (domain, code) = Self.code(of: error)
        self.init(
            documentID: change.documentID, version: change.version, sequence: change.sequence, domain: domain,
            code: code, reason: error.reason)
    }

    /// Creates the record of a remote's revision that this side couldn't store, from the resulting error.
    init(unstored documentID: String, _ version: Version, _ error: SessionError) {
        let (domain, code) = Self.code(of: error)
        let isLong = version.textByteCount > Self.versionByteCount
        self.init(
            documentID: documentID,
            version: isLong ? Version(ForeignText.shown(version.text, byteLimit: Self.versionByteCount)) : version,
            sequence: 0, domain: domain, code: code,
            reason: ForeignText.shown(error.reason, byteLimit: Self.reasonByteCount))
        side = .local
    }

    private static func code(of error: SessionError) -> (domain: String, code: Int) {
        switch error.code {
        case .http(let status): ("HTTP", status)
        case .remote(let domain, let code): (domain, code)
        case .conflict: ("HTTP", 409)
        case .aheadOfClock: (ownDomain, aheadOfClockCode)
        case .corruptAttachment, .protocolViolation: ("HTTP", 400)
        default: ("HTTP", error.recovery == .transient ? 503 : 500)
        }
    }
}

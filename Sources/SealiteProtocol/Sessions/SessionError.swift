internal import SealiteRevisions

/// The reason why a session ended, or why a document couldn't be replicated.
///
/// Two errors are equal when their codes are.
package struct SessionError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of the failure.
    package enum Code: Sendable, Hashable {
        /// The peer answered with this HTTP status, or the failure is one that this status describes.
        case http(Int)
        /// The peer answered with an error of another domain.
        case remote(domain: String, code: Int)
        /// The peer has no such collection.
        case collectionNotFound
        /// The peer broke the protocol.
        case protocolViolation
        /// The connection was closed with this WebSocket code; 1006 if it was lost.
        case webSocket(Int)
        /// The local database failed.
        case storage
        /// The content of an attachment that the peer sent doesn't match its digest or its announced length.
        case corruptAttachment
        /// A local revision and the remote one conflict.
        case conflict
        /// The time of the version of a pulled document is too far ahead of this computer's clock.
        case aheadOfClock
    }

    /// The possible recovery from an error.
    package enum Recovery: Sendable, Hashable {
        /// Retrying later may help.
        case transient
        /// This side can't recover on its own.
        case permanent
    }

    package let code: Code
    package let reason: String
    /// A Boolean value that says whether a retry may help although the code alone doesn't imply it.
    private var isMarkedTransient = false
    /// The indices of the collections that the peer doesn't have; empty except for `collectionNotFound`.
    package var missingCollections: [Int] = []

    package init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    /// Converts an error in a peer's reply to `task`. A code of Couchbase Lite's own domain that corresponds to an HTTP
    /// status is converted to this status.
    init(_ reply: BLIPErrorReply, during task: String) {
        let message = ForeignText.shown(reply.message, byteLimit: 500)
        let text = message.isEmpty ? "" : ": \(message)"
        switch (reply.domain, reply.code) {
        case ("HTTP", let status):
            self.init(.http(status), "\(task) was answered with HTTP \(status)\(text)")
        case ("LiteCore", 8):
            self.init(.http(409), "\(task) was answered with a conflict\(text)")
        case (let foreign, let code):
            let domain = ForeignText.shown(foreign, byteLimit: 50)
            self.init(.remote(domain: domain, code: code), "\(task) was answered with \(domain) error \(code)\(text)")
        }
    }

    /// Creates the error for a document that this side refuses, with the HTTP status and the text of its reply to the
    /// peer.
    init(refusing reply: BLIPErrorReply) {
        let message = ForeignText.shown(reply.message, byteLimit: 500)
        self.init(.http(reply.code), "this side refused the document with HTTP \(reply.code): \(message)")
    }

    /// Creates the error for a document that can't be stored because the time of its version is too far ahead of this
    /// computer's clock.
    init(aheadOfClock reason: String) {
        self.init(
            .aheadOfClock,
            "the document was not stored yet: \(reason); set this computer's clock or, if it is right, that of the computer on which the document was saved"
        )
    }

    /// Creates the error of a session that ends because this side can't receive a message of the peer, which `message`
    /// names. Another attempt may succeed if merely too much arrived at once; a message that is too large by itself
    /// breaks the protocol.
    init(rejecting message: String, _ error: BLIPError) {
        let code: Code = error.code == .tooMuchAtOnce ? .http(error.status) : .protocolViolation
        self.init(code, "\(message) can't be received: \(error.reason)")
    }

    init(_ failure: StoreFailure) {
        self.init(.storage, failure.reason)
        isMarkedTransient = failure.isTransient
    }

    /// The error of a document with changes on both sides.
    static var unresolvedConflict: SessionError {
        SessionError(.conflict, "the document was changed on both sides; its conflict is still to be resolved")
    }

    /// The error if channels are requested from a listener of this library, which is recognized by the names of its
    /// collections and has no channels. The code is the one with which the listener would refuse the subscription.
    static var noChannels: SessionError {
        SessionError(
            .remote(domain: "LiteCore", code: 19),
            "channels can't be requested from a listener, which has no channels: only a Sync Gateway has them")
    }

    package static func == (left: SessionError, right: SessionError) -> Bool { left.code == right.code }

    package var description: String { reason }

    package var recovery: Recovery {
        switch code {
        case .http(let status): Refusal.transientStatuses.contains(status) ? .transient : .permanent
        case .webSocket(let code): code == 1006 || code == 4001 ? .transient : .permanent
        default: isMarkedTransient ? .transient : .permanent
        }
    }

    /// A Boolean value that says whether the document may be stored later although neither side changes it.
    package var isCuredByTime: Bool { code == .aheadOfClock || recovery == .transient }

    /// The WebSocket code with which the session closes: 4001 if a retry may help, otherwise 4002.
    var closeCode: Int { recovery == .transient ? 4_001 : 4_002 }
}

/// Sanitises a peer's text before it is shown or stored.
enum ForeignText {
    /// Returns the text as one line without control characters and bidirectional formatting, truncated to `byteLimit`
    /// bytes of UTF-8. An ellipsis, which isn't counted, follows a truncated text.
    static func shown(_ text: String, byteLimit: Int) -> String {
        var shown = String.UnicodeScalarView()
        var byteCount = 0
        for scalar in text.unicodeScalars {
            guard let kept = replacement(of: scalar) else { continue }
            byteCount += UTF8.width(kept)
            guard byteCount <= byteLimit else {
                shown.append("\u{2026}")
                break
            }
            shown.append(kept)
        }
        return String(shown)
    }

    private static func replacement(of scalar: Unicode.Scalar) -> Unicode.Scalar? {
        switch scalar.value {
        case 0x09, 0x0A, 0x0D, 0x2028, 0x2029: " "
        case 0..<0x20, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: nil
        default: scalar
        }
    }
}

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

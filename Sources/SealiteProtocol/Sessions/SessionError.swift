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

public import FoundationEssentials
public import SealiteBase
internal import SealiteDatabase

/// An error that keeps a document or a collection from being synced. Its reason contains no document content.
public struct MobileSyncError: SealiteError, Sendable, Hashable {
    /// The kinds of errors of per-document sync.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The remote's document has an invalid sync version. The document is no longer synced.
        case decodingError
        /// The remote's document has a sync version of an unknown protocol. The document is no longer synced.
        case unsupportedProtocolVersion
        /// The remote refused the document. The document is paused.
        case remoteRefused
        /// The remote's document couldn't be stored. The document is paused until a later revision of it can be stored or
        /// the remote no longer has it, and is asked for again at each start and by `resumeSync(forDocumentID:)`.
        case notStored
        /// The remote's document couldn't be stored yet: this computer's clock is wrong, the disk is full, or the database
        /// or the remote was busy. The document is paused, as with `notStored`, and is also asked for again every five
        /// minutes.
        case notStoredYet
        /// The conflict handler threw an error, or a document couldn't be decoded for it or encoded afterwards. The
        /// document is paused.
        case resolutionError
        /// Access to the remote's document was revoked. The document is no longer synced.
        case accessLost
        /// A changed document can't be read as the type of the collection's documents, so the delegate receives no
        /// event for the change. The document stays synced.
        case unreadableDocument
        /// Syncing the whole collection, or the delivery of its events, stopped because of an error, and is tried again
        /// after 15 seconds or at the next interval; or a sync was requested while the network was set as unavailable.
        case stopped
        /// No remote is set, or the collection wasn't configured.
        case notConfigured
    }

    /// The kind of the error.
    public let code: Code
    /// The failed operation and its cause, in one line.
    public let reason: String
    /// The code in lowercase words with hyphens between them, such as `access-lost`.
    public var identifier: String { Self.identifier(of: code) }

    init(_ code: Code, _ reason: String) { (self.code, self.reason) = (code, reason) }

    /// Creates the error of the code `stopped` for the error that stopped syncing or the delivery of events.
    init(stoppedBy error: any Error) {
        let reason =
            switch error {
            case let error as DatabaseError: "an error of the local database: \(error.reason)"
            case let error as any SealiteError: error.reason
            default: "an error of the type \(type(of: error))"
            }
        self.init(.stopped, reason)
    }

    init(_ pause: SyncPause) {
        self.init(Code(rawValue: pause.code) ?? .stopped, pause.reason)
    }

    var pause: SyncPause { SyncPause(code: code.rawValue, reason: reason) }

    /// The error's text: the code and the reason.
    public var description: String { "\(code.rawValue): \(reason)" }
}

extension MobileSyncError: LocalizedError {
    /// The same as ``MobileSyncError/reason``.
    public var errorDescription: String? { reason }
}

internal import SealiteDatabase

/// An error for which a document, or a collection, can't be synced. Its reason holds no content of documents.
public struct MobileSyncError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of an error.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The remote's document has a sync version that can't be read. The document is synced no more.
        case decodingError
        /// The remote's document has a sync version of a protocol that isn't known. The document is synced no more.
        case unsupportedProtocolVersion
        /// The remote refused the document. The document is paused.
        case remoteRefused
        /// The conflict handler threw. The document is paused.
        case resolutionError
        /// The remote's document may be read no more. The document is synced no more.
        case accessLost
        /// A document can't be read as the type of the collection's documents, so that a change of it isn't told. It is synced as before.
        case unreadableDocument
        /// Syncing the collection stopped, and is tried again after a while.
        case stopped
        /// There is no remote, or the collection isn't configured.
        case notConfigured
    }

    /// The kind of the error.
    public let code: Code
    /// The failed operation and its cause, in one line.
    public let reason: String

    init(_ code: Code, _ reason: String) { (self.code, self.reason) = (code, reason) }

    init(_ pause: SyncPause) {
        self.init(Code(rawValue: pause.code) ?? .stopped, pause.reason)
    }

    var pause: SyncPause { SyncPause(code: code.rawValue, reason: reason) }

    /// The code and the reason.
    public var description: String { "\(code.rawValue): \(reason)" }
}

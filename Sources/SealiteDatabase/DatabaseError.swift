/// What went wrong in the document database: a code for programs, a sentence for people.
///
/// Messages never hold document content, keys or bound values. Two errors are equal when their codes are.
public struct DatabaseError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What kind of failure it is.
    public enum Code: String, Sendable, CaseIterable {
        /// The database was closed or deleted, or the collection deleted.
        case notOpen
        /// The document, collection, blob or revision isn't there.
        case notFound
        /// The document was changed meanwhile, or is there already where a new one was to be inserted.
        case conflict
        /// An argument that can't be right, such as a document of another collection.
        case invalidParameter
        /// A query that isn't SQL++, names something that isn't there, or asks for something that no query can give.
        case invalidQuery
        /// Another connection holds the lock and did not let go in time.
        case busy
        /// The disk or the quota is full; nothing of the operation was stored.
        case diskFull
        /// The system failed to read or write.
        case ioError
        /// The file or folder may not be opened or written.
        case permissionDenied
        /// The file can't be opened at that path.
        case cantOpenFile
        /// What is stored is not what the format says.
        case corruptData
        /// The file was written by a later version.
        case databaseTooNew
        /// The file is a database, but not one of documents.
        case wrongFormat
        /// The key doesn't open the file, or the file isn't sealed.
        case unreadableDatabase
        /// A document id that can't be used.
        case badDocumentID
        /// A scope or collection name that can't be used.
        case badName
        /// A revision id that can't be read or doesn't fit.
        case badRevisionID
        /// Text that is not the JSON we take.
        case invalidJSON
        /// The document passes the size limit.
        case documentTooLarge
        /// A value could not be decoded into the type asked for.
        case decodingFailed
        /// A value could not be encoded.
        case encodingFailed
        /// An index refuses the document: another one has its values in a unique index, for instance.
        case refusedByIndex
        /// The documents of the collection are synced one by one, and written by its sync alone.
        case collectionIsSynced
        /// A blob's content doesn't have the digest or length that was stated.
        case blobMismatch
        /// The transaction was rolled back underneath, for instance by a full disk.
        case transactionLost
        /// The task was cancelled.
        case cancelled
        /// Anything else; see `underlying`.
        case unexpected
    }

    /// The kind of failure.
    public let code: Code
    /// What failed, on what and why.
    public let reason: String
    /// What can be done about it, if something can.
    public let hint: String?
    /// The error underneath, if there was one.
    public let underlying: (any Error)?

    package init(_ code: Code, _ reason: String, hint: String? = nil, underlying: (any Error)? = nil) {
        self.code = code
        self.reason = reason
        self.hint = hint
        self.underlying = underlying
    }

    /// The reason, and the hint in brackets.
    public var description: String {
        hint.map { "\(reason) (\($0))" } ?? reason
    }

    /// Whether both have the same code.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}

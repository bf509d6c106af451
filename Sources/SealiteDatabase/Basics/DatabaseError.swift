public import FoundationEssentials
internal import Glibc
public import SealiteBase
public import SealiteJSON

/// An error of the document database: a code for programs, and a sentence for people.
///
/// Messages never contain document content, keys or bound values. Two errors are equal if their codes are equal.
public struct DatabaseError: SealiteError, Sendable, Equatable {
    /// The kind of a failure.
    public enum Code: String, Sendable, CaseIterable {
        /// The database was closed, deleted, or upgraded to version vectors since it was opened; or the collection was
        /// deleted.
        case notOpen
        /// The document, collection, blob, revision or file doesn't exist.
        case notFound
        /// The document was changed since it was read, or a document to insert exists already.
        case conflict
        /// An argument is invalid, such as a document of another collection.
        case invalidParameter
        /// A query isn't valid SQL++, names something that doesn't exist, or asks for a result that no query can have.
        case invalidQuery
        /// Another connection held a lock on the file and didn't release it in time.
        case busy
        /// The disk or the quota is full; nothing of the operation was stored.
        case diskFull
        /// The system failed to read or write a file.
        case ioError
        /// The file or folder may not be opened or written.
        case permissionDenied
        /// The file can't be opened or created at its path.
        case cantOpenFile
        /// Stored data is damaged: it doesn't follow the format of a document database.
        case corruptData
        /// A later version of the program wrote the file, or one of its indexes, in a form that this version doesn't
        /// know.
        case databaseTooNew
        /// A build from before the first release wrote the file, in a format that was removed since.
        case databaseTooOld
        /// The file is a database, but not a document database.
        case wrongFormat
        /// The key doesn't open the file, or the file isn't sealed.
        case unreadableDatabase
        /// The document id is invalid.
        case badDocumentID
        /// The scope or collection name is invalid.
        case badName
        /// The revision id is invalid or doesn't fit the document's history.
        case badRevisionID
        /// The text isn't JSON that a document accepts.
        case invalidJSON
        /// The JSON of the document exceeds the size limit.
        case documentTooLarge
        /// A document or a value can't be decoded as the requested type.
        case decodingFailed
        /// A value can't be encoded as a document.
        case encodingFailed
        /// An index refuses the document, for instance because another document has the same values in a unique index.
        case refusedByIndex
        /// An index must be rebuilt: rebuilding it failed when the database was opened, or another version of the
        /// program has written it since. Until it is rebuilt or deleted, its collection can't be written.
        case indexNotCurrent
        /// The collection's documents are synced individually (`SealiteMobileSync`), and can be written only through
        /// `MongoCollection.sync`.
        case collectionIsSynced
        /// A blob's content doesn't have the stated digest or length.
        case blobMismatch
        /// SQLite rolled the transaction back, for instance because the disk is full.
        case transactionLost
        /// The task, or an operation such as a migration or a query, was cancelled or took longer than its time limit.
        case cancelled
        /// Any other failure; see `underlying`.
        case unexpected
    }

    /// The kind of failure.
    public let code: Code
    /// The failed operation, its object and the cause, in one sentence.
    public let reason: String
    /// The reason, followed by the hint in parentheses if there is one.
    public var description: String { hint.map { "\(reason) (\($0))" } ?? reason }
    /// The code as lowercase words with hyphens between them: `not-found` for `notFound`.
    public var identifier: String { Self.identifier(of: code) }
    /// A Boolean value that says whether the same call may succeed later: once another process has ended its
    /// transaction, the disk has space, or the system can read and write again.
    public var isTransient: Bool { [.busy, .diskFull, .ioError, .transactionLost].contains(code) }
    /// The next step for the caller or the user; nil if none is known.
    public let hint: String?
    /// The error that caused this one; nil if there is none.
    public let underlying: (any Error)?

    package init(_ code: Code, _ reason: String, hint: String? = nil, underlying: (any Error)? = nil) {
        self.code = code
        self.reason = reason
        self.hint = hint
        self.underlying = underlying
    }

    /// Returns whether two errors have the same code.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }

    /// Creates the error for a call of the system that failed with an error number: `permissionDenied` if the number
    /// says so, otherwise an error with the given code. The reason is `failure`, followed by the system's message.
    init(errno number: CInt, _ failure: String, otherwise code: Code = .ioError) {
        let message = unsafe strerror(number).map { unsafe String(cString: $0) } ?? "error \(number)"
        self.init(number == EACCES || number == EPERM ? .permissionDenied : code, "\(failure): \(message)")
    }
}

extension DatabaseError: LocalizedError {
    /// The same as ``DatabaseError/reason``.
    public var errorDescription: String? { reason }
    /// The same as ``DatabaseError/hint``.
    public var recoverySuggestion: String? { hint }
}

/// The next steps after errors of document databases.
package enum DatabaseRemedy: Remedy, Hashable {
    /// Opening a database as one of tables, after it was found not to be a document database.
    case openTables
    /// Rebuilding an index, after it was found damaged.
    case rebuildIndex
    /// Fetching the content of a blob from another database, by an export or a sync, after it wasn't found in this one.
    case fetchBlob

    package var text: String {
        switch self {
        case .openTables: "open the file as a sealed database of tables"
        case .rebuildIndex: "maintenance of the kind \"reindex\" rebuilds it"
        case .fetchBlob: "export the database that has the blob, or fetch the blob by a sync"
        }
    }
}

// The module of this error does without Foundation.

extension JSONError: LocalizedError {
    /// The reason, and the offset in bytes at which the error was found.
    public var errorDescription: String? { "\(reason), at byte \(offset)" }
}

import SealiteCredentials
import SealiteDatabase
import SealiteFile

/// The kind of content that a sealed database holds.
enum DatabaseKind: String, Encodable {
    /// Nothing yet.
    case empty
    /// Tables of whoever made them.
    case sqlite
    /// Documents.
    case documents
    /// Credentials.
    case vault

    /// Looks at the content of an unlocked database.
    init(of database: SealedDatabase) throws(SealedFileError) {
        let connection = try database.connect()
        if try Database.isPresent(in: connection) {
            self = .documents
        } else if try VaultStore.isPresent(in: connection) {
            self = .vault
        } else {
            self = try connection.integer("SELECT count(*) FROM sqlite_schema") == 0 ? .empty : .sqlite
        }
    }

    /// For people.
    var name: String {
        switch self {
        case .empty: "an empty database"
        case .sqlite: "an SQLite database"
        case .documents: "a document database"
        case .vault: "a vault of credentials"
        }
    }

    /// The commands that change the content as it is meant to be changed; nil where that is SQL.
    var way: String? {
        switch self {
        case .empty, .sqlite: nil
        case .documents: "change documents with 'sealite doc', so that revisions, blobs and sync follow"
        case .vault: "change credentials with 'sealite credential'"
        }
    }
}

/// Which databases of a session can't be written, and why.
final class WriteProtection {
    private let isReadOnly: Bool
    private let isRaw: Bool
    private var protected: [(name: String, path: String, kind: DatabaseKind)] = []

    /// `readOnly` holds for all databases; without it `raw` lets SQL write those too that SQL isn't meant to write.
    init(readOnly: Bool, raw: Bool) {
        isReadOnly = readOnly
        isRaw = raw
    }

    /// Guards a database that has more to it than its tables, before it is opened under a name.
    ///
    /// - Returns: its kind, where it is guarded.
    @discardableResult
    func check(_ database: SealedDatabase, as name: String) throws(SealedFileError) -> DatabaseKind? {
        guard !isReadOnly, !isRaw else { return nil }
        let kind = try DatabaseKind(of: database)
        guard kind.way != nil else { return nil }
        try GuardedFiles.add(database.path)
        protected.append((name, database.path, kind))
        return kind
    }

    /// The error of a statement that would have written, with the reason why it may not.
    func explained(_ error: SealedFileError) -> ToolError {
        let plain = ToolError(error)
        guard error.code == .permission, error.reason.contains("readonly database") else { return plain }
        if isReadOnly {
            return ToolError(
                .failed, code: "read-only", "the statement writes, and --read-only was given",
                hint: "leave --read-only out")
        }
        guard !protected.isEmpty else { return plain }
        let what = protected.map { "\"\($0.path)\" is \($0.kind.name)" }.joined(separator: ", ")
        let ways = Set(protected.compactMap(\.kind.way)).sorted().joined(separator: "; ")
        return ToolError(
            .failed, code: "read-only", "the statement writes, and \(what), which 'sealite sql' opens for reading only",
            hint: "\(ways); --raw writes past all that")
    }
}

import SealiteCredentials
import SealiteDatabase
import SealiteFile

/// The kind of content that a sealed database holds.
enum DatabaseKind: String, Encodable {
    /// There are no tables yet.
    case empty
    /// Tables of an application.
    case sqlite
    /// A document database.
    case documents
    /// A vault of credentials.
    case vault

    /// Determines the kind from the content of an unlocked database.
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

    /// The name of the kind for people.
    var name: String {
        switch self {
        case .empty: "an empty database"
        case .sqlite: "an SQLite database"
        case .documents: "a document database"
        case .vault: "a vault of credentials"
        }
    }

    /// The commands that are intended for changing the content; nil if that is SQL.
    var way: String? {
        switch self {
        case .empty, .sqlite: nil
        case .documents: "change documents with 'sealite doc', so that revisions, blobs and sync follow"
        case .vault: "change credentials with 'sealite credential'"
        }
    }
}

/// The databases of a session that are write-protected, with the reasons.
final class WriteProtection {
    private let isReadOnly: Bool
    private let isRaw: Bool
    private var protected: [(name: String, path: String, kind: DatabaseKind)] = []

    /// Creates a protection. `readOnly` applies to all databases; without it, `raw` allows SQL to write to databases
    /// that are not intended for changes by SQL.
    init(readOnly: Bool, raw: Bool) {
        isReadOnly = readOnly
        isRaw = raw
    }

    /// Protects a database whose content isn't only tables, before it is opened under a name.
    ///
    /// - Returns: the kind of the database if it is protected; otherwise nil.
    @discardableResult
    func check(_ database: SealedDatabase, as name: String) throws(SealedFileError) -> DatabaseKind? {
        guard !isReadOnly, !isRaw else { return nil }
        let kind = try DatabaseKind(of: database)
        guard kind.way != nil else { return nil }
        try GuardedFiles.add(database.path)
        protected.append((name, database.path, kind))
        return kind
    }

    /// Returns the error of a statement that tried to write, with the reason for the protection.
    func explained(_ error: SealedFileError) -> ToolError {
        let plain = ToolError(error)
        guard error.code == .permission, error.reason.contains("readonly database") else { return plain }
        if isReadOnly {
            return ToolError(
                .failed, code: "read-only", "the statement writes, and --read-only was given",
                hint: "remove --read-only")
        }
        guard !protected.isEmpty else { return plain }
        let what = protected.map { "\"\($0.path)\" is \($0.kind.name)" }.joined(separator: ", ")
        let ways = Set(protected.compactMap(\.kind.way)).sorted().joined(separator: "; ")
        return ToolError(
            .failed, code: "read-only", "the statement writes, and \(what), which 'sealite sql' opens for reading only",
            hint: "\(ways); --raw writes without these protections")
    }
}

import SealiteCredentials
import SealiteDatabase
import SealiteFile

/// The kind of content that a sealed database holds.
enum DatabaseKind: String, Encodable {
    /// There are no tables yet.
    case empty
    /// Only tables of an application, with neither documents nor a vault.
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

    /// The hint that names the commands for changing the content; nil if the content is changed by SQL.
    var way: String? {
        switch self {
        case .empty, .sqlite: nil
        case .documents: "change documents with 'sealite doc', which keeps revisions, blobs and sync consistent"
        case .vault: "change credentials with 'sealite credential'"
        }
    }
}

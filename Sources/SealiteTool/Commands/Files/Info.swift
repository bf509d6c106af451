import ArgumentParser
import SealiteCredentials
import SealiteCrypto
import SealiteDatabase
import SealiteFile
import SealiteMaintenance

/// The command `sealite info`, which shows the properties of a sealed database.
struct Info: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Show the properties of a sealed database.",
        discussion: """
            Without a key, shows the public header, which isn't authenticated. With a key, authenticates the header, \
            and also shows counts, settings, page use and the kind of database: SQLite tables, documents or a vault.

            Example: sealite info notes.db
            """)

    @OptionGroup var place: DatabaseArgument

    @OptionGroup var options: DocumentOptions

    private struct JSONReport: Encodable {
        let path: String
        let header: PublicHeader
        let isChecked: Bool
        let statistics: FileStatistics?
        let rotation: RotationState?
        let kind: DatabaseKind?
        let versioning: String?
        let serveID: String?
        let deltaBases: DeltaBases?
    }

    private struct DeltaBases: Encodable {
        let documents: Int64
        let bytes: Int64
    }

    func run() throws {
        var header = try KeyOptions.publicHeader(of: place.database)
        var statistics: FileStatistics?
        var content: (kind: DatabaseKind, versioning: DocumentVersioning?, serveID: String?)?
        var bases: DeltaBases?
        // A key is asked for only if the options require one: the public part of the header needs no key, a comparison
        // with a freshness record does.
        if try options.key.namedSource() != nil || options.key.asking.prompt || options.freshness.recordPath != nil {
            let sealed = try options.unlock(place.database)
            header = try sealed.publicHeader()
            statistics = try sealed.statistics()
            let kind = try DatabaseKind(of: sealed)
            content = (kind, nil, nil)
            if kind == .documents {
                let connection = try sealed.connect()
                content = (
                    kind, try Database.versioning(of: connection), try Database.serviceID(of: connection)
                )
                let found = try Database.deltaBases(of: connection)
                bases = DeltaBases(documents: found.documentCount, bytes: found.byteCount)
            }
        }
        let rotation = try SealedDatabase.rotationState(of: place.database)
        guard !options.output.json else {
            return try Report.printJSON(
                JSONReport(
                    path: place.database, header: header, isChecked: statistics != nil, statistics: statistics,
                    rotation: rotation, kind: content?.kind,
                    versioning: content?.versioning?.rawValue, serveID: content?.serveID,
                    deltaBases: bases))
        }
        var lines = header.lines + (rotation?.lines ?? []) + (statistics?.lines ?? [])
        if let content { lines.append(("kind", content.kind.name)) }
        if let versioning = content?.versioning {
            lines.append(("versioning", versioning == .vectors ? "version vectors" : "revision trees"))
        }
        if let id = content?.serveID { lines.append(("serve id", id)) }
        if let bases, bases.documents > 0 {
            lines.append(
                (
                    "delta bases",
                    "\(counted(Int(bases.documents), "document")), \(sizeText(bases.bytes)); 'sealite compact' removes them"
                ))
        }
        Report.print(lines)
        for slot in header.slots { Console.print(slot.line) }
    }
}

extension PublicHeader {
    var lines: [(String, String)] {
        [
            ("format", "\(formatVersion), \(cipher)"),
            ("page size", "\(pageSize) bytes"),
            ("database id", databaseID),
            ("master id", masterID),
            ("epoch", previousEpoch.map { "\(epoch), rotation from \($0) under way" } ?? "\(epoch)"),
            ("header", "generation \(generation), copies \(copies.map(\.rawValue).joined(separator: " and "))"),
            ("freshness", "\(freshnessCounter)"),
        ]
    }
}

extension RotationState {
    fileprivate var lines: [(String, String)] {
        [
            (
                "rotation",
                "\(pagesDone) of \(counted(pageCount, "page")) sealed under the new key; 'sealite key rotate' continues it"
            )
        ]
    }
}

extension FileStatistics {
    var lines: [(String, String)] {
        let kinds = schemaCounts.sorted { $0.key < $1.key }.map {
            counted($0.value, $0.key, $0.key == "index" ? "indexes" : nil)
        }
        let modes = ["none", "full", "incremental"]
        return [
            ("pages", "\(pageCount), \(freePageCount) of them free"),
            ("schema", kinds.isEmpty ? "empty" : kinds.joined(separator: ", ")),
            ("journal mode", journalMode),
            ("encoding", encoding),
            ("auto-vacuum", modes.indices.contains(autoVacuum) ? modes[autoVacuum] : "\(autoVacuum)"),
            ("user version", "\(userVersion)"),
            ("application id", "\(applicationID)"),
        ]
    }
}

extension SlotInfo {
    var line: String {
        let cost = cost.map { ", scrypt N=2^\($0.logN) r=\($0.r) p=\($0.p)" } ?? ""
        let key = fingerprint.map { ", fingerprint \($0)" } ?? ""
        return "slot \(number): \(kind.name)\(cost)\(label.isEmpty ? "" : ", \"\(label)\"")\(key)"
            .withoutControls
    }
}

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

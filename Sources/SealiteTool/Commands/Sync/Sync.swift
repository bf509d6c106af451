import ArgumentParser
import Foundation
import SealiteAuthentication
import SealiteCredentials
import SealiteCrypto
import SealiteDatabase
import SealiteFile
import SealiteReplicator

/// The command `sealite sync`, which syncs a document database with a remote one.
struct Sync: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract: "Sync a document database with a remote one: that of a Sync Gateway or of 'sealite serve'.",
        discussion: """
            Pushes and pulls, unless --push or --pull is given, and ends when everything is replicated. Exit code 0 only if every document \
            went through. What the remote refused is offered again each time, what of the remote could not be stored is asked for again \
            each time, and 'sealite sync-status' lists both. The last line \
            counts the documents that were pushed, that were already there, that were pulled, that were removed because \
            access to them was lost, the conflicts that were resolved, and what failed. The credential for the URL is found in the credential store at each connection: a client \
            identity, and a session, a bearer token or a password.

            Without --collection, all collections that both databases have are synced; one line lists them, and \
            those that only one side has. A Sync Gateway can't be asked for its collections. One sync takes at most 5,000 \
            collections; of more, name some at a time.

            Example: sealite sync notes.db wss://sync.example.com:4984/notes --user ana
            """)

    @OptionGroup var place: DatabaseArgument

    @Argument(help: "The remote database, as wss://host:4984/name.")
    var url: String

    @Option("name", help: "The user whose credential is used.")
    var user: String?

    @Flag(help: "Connect without credentials.")
    var anonymous = false

    @Flag(help: "Allow the password or session to be sent unencrypted to another machine.")
    var allowUnencrypted = false

    @Flag(help: "Create the database, with the given key, if it doesn't exist.")
    var create = false

    @Flag(help: "Push only.")
    var push = false

    @Flag(help: "Pull only.")
    var pull = false

    @Flag(help: "Sync continuously, until a signal ends it.")
    var continuous = false

    @Flag(help: "Send and take whole documents only, not the differences of changed ones.")
    var noDeltas = false

    @Option(
        "name", name: .customLong("collection"),
        help: "Sync this collection, which is created if it doesn't exist. May be repeated.")
    var collections: [CollectionArgument] = []

    @Option("name", name: .customLong("channel"), help: "Pull only this channel of the remote. May be repeated.")
    var channels: [String] = []

    @Option("id", name: .customLong("doc-id"), help: "Sync only this document. May be repeated.")
    var documentIDs: [String] = []

    @Option("file", help: "Sync only the documents that this file lists, one id a line; - is standard input.")
    var docIdsFile: String?

    @Flag(
        help: ArgumentHelp(
            "Add the documents of --doc-id and --doc-ids-file to a set that is stored in the database, and sync that set. Without them the stored set is synced."
        ))
    var keepIds = false

    @OptionGroup(title: "Conflicts") var conflicts: SyncConflictOptions

    @OptionGroup(title: "Server trust") var trust: SyncTrustOptions

    @Flag(
        help: "Ignore checkpoints and compare all documents with the remote again, with --keep-ids also paused ones.")
    var reset = false

    @Option(
        "n", help: "The maximum number of consecutive connection attempts. Default: 3, or unlimited with --continuous.")
    var attempts: Int?

    @OptionGroup var options: DocumentOptions

    func validate() throws {
        guard !(push && pull) else {
            throw ValidationError("--push and --pull are mutually exclusive; by default both are done.")
        }
        try ValidationError.requireOne(("--anonymous", anonymous), ("--user", user != nil))
        guard !(keepIds && (push || pull || !channels.isEmpty)) else {
            throw ValidationError("--keep-ids can't be given together with --push, --pull or --channel.")
        }
        try ValidationError.requireOne(("--create", create), ("--push", push))
        guard attempts ?? 1 > 0 else { throw ValidationError("--attempts takes 1 or more.") }
        try options.key.requireOneReader(("the document ids", docIdsFile == "-"))
    }

    func run() throws {
        let target = try SyncURL.endpoint(url)
        let isNew = try create && createDatabase()
        var isUnused = false
        do {
            try options.withDatabase(place.database) { database in
                do {
                    try sync(database, with: target)
                } catch {
                    // Other processes may have used the database while a continuous sync ran.
                    isUnused = isNew && !continuous && hasNoDocument(database)
                    throw error
                }
            }
        } catch {
            if isUnused { removeDatabase() }
            throw namingCreate(error)
        }
    }

    /// Returns the error with a hint to `--create` if the database doesn't exist and could be created.
    private func namingCreate(_ error: any Error) -> any Error {
        guard var failure = error as? ToolError, failure.code == SealedFileError.Code.noSuchFile.rawValue, !push,
            !FileManager.default.fileExists(atPath: place.database)
        else { return error }
        failure.hint = "--create makes it, with the given key, and pulls the documents of the remote into it"
        return failure
    }

    private func hasNoDocument(_ database: Database) -> Bool {
        (try? database.collectionsOfAllScopes().allSatisfy { try $0.count == 0 }) ?? false
    }

    private func removeDatabase() {
        guard (try? Database.delete(at: place.database)) != nil, !options.output.json else { return }
        Console.confirm("removed \"\(place.database)\", which is empty")
    }

    private func sync(_ database: Database, with target: EndpointURL) throws {
        let named = try NamedCollections(collections, in: database, mayCreate: !push)
        let synced =
            try collections.isEmpty ? database.collectionsOfAllScopes() : named.collections
        var configuration = ReplicatorConfiguration(collections: synced, target: target)
        configuration.replicatorType = push ? .push : pull ? .pull : .pushAndPull
        configuration.continuous = continuous
        configuration.enableDeltaSync = !noDeltas
        configuration.maximumAttemptCount = attempts ?? (continuous ? 0 : 3)
        configuration.trust = try trust.trust
        configuration.allowsUnencryptedCredentials = allowUnencrypted
        configuration.authenticator = try authenticator()
        for index in configuration.collections.indices {
            if !channels.isEmpty { configuration.collections[index].channels = channels }
            configuration.collections[index].conflictResolver = conflicts.resolver
        }
        let ids = try namedIDs()
        if !keepIds {
            for index in configuration.collections.indices { configuration.collections[index].documentIDs = ids }
        }
        try named.sync { try run(configuration, ids ?? []) }
    }

    private func run(_ configuration: ReplicatorConfiguration, _ ids: [String]) throws {
        do {
            if keepIds { return try KeptSyncRun(configuration, ids: ids, json: options.output.json).run(reset: reset) }
            try SyncedCollections(configuration, isChosen: !collections.isEmpty, output: options.output)
                .run(reset: reset)
        } catch let error as ToolError {
            let versioning = configuration.collections[0].collection.database.versioning
            throw SyncCredentials(url: url, user: user, isAnonymous: anonymous)
                .explained(error.explained(versioning), options.key)
        }
    }

    /// Creates the database if it doesn't exist, with the key that opens it afterwards. Returns whether it was created.
    private func createDatabase() throws -> Bool {
        guard !FileManager.default.fileExists(atPath: place.database) else { return false }
        guard let source = try options.key.namedSource() else {
            throw ToolError.usage(
                "no key for the new database \"\(place.database)\" was given",
                hint:
                    "give one with --key-file, --passphrase-file or another option that 'sealite sync --help-keys' shows"
            )
        }
        _ = try SealedDatabase.create(place.database, slot: source.newSecret(cost: .default))
        if !options.output.json { Console.confirm("made \"\(place.database)\"") }
        return true
    }

    /// The document ids in the options, and in the file that they name; nil if neither an id nor a file is given.
    private func namedIDs() throws -> [String]? {
        guard let docIdsFile else { return documentIDs.isEmpty ? nil : documentIDs }
        var ids = documentIDs
        let file = try InputFile(docIdsFile, besides: place.database)
        while let line = try file.line() {
            let id = String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line[...], as: UTF8.self)
            if !id.isEmpty { ids.append(id) }
        }
        return ids
    }

    private func authenticator() throws -> (any Authenticator)? {
        let store = options.key.store
        // If there is no sign of a credential store, none is opened.
        guard !anonymous, try user != nil || store.isChosen() || Credentials.mayHaveStore() else { return nil }
        let onDemand = LazyCredentialStore(store, options.key.asking.permission)
        if try user != nil || store.isChosen() { try waiting { try await onDemand.openFirst() } }
        // If no user was named, and the store has no credentials for the remote, the connection is made without
        // credentials.
        return StoreAuthenticator(
            opening: { () async throws(CredentialError) in try await onDemand.open() }, account: user,
            isOptional: user == nil,
            client: SessionClient(trust: try trust.trust, allowsUnencrypted: allowUnencrypted),
            access: onDemand.access)
    }
}

/// The URL of a remote database on the command line.
enum SyncURL {
    /// Parses a URL; `https` and `http` are converted to `wss` and `ws`.
    ///
    /// - Throws: a `ToolError` for invalid usage if the URL isn't valid.
    static func endpoint(_ url: String) throws -> EndpointURL {
        var text = url
        for (web, socket) in [("https://", "wss://"), ("http://", "ws://")] where text.lowercased().hasPrefix(web) {
            text = socket + text.dropFirst(web.count)
        }
        do throws(TransportError) {
            return try EndpointURL(text)
        } catch {
            throw ToolError.usage(error.reason, hint: "give it as wss://host:4984/name")
        }
    }
}

/// The collections that a command names. Those that are missing are created, and removed again if the command fails
/// before they receive a document.
struct NamedCollections {
    let collections: [Collection]
    private let created: [Collection]

    /// Finds collections, and creates the missing ones if `mayCreate` is true.
    ///
    /// - Throws: an error if a collection is missing and may not be created.
    init(_ names: [CollectionArgument], in database: Database, mayCreate: Bool) throws {
        var (collections, created): ([Collection], [Collection]) = ([], [])
        for name in names {
            if let found = try database.collection(name: name.name, scope: name.scope) {
                collections.append(found)
            } else if mayCreate {
                created.append(try database.createCollection(name: name.name, scope: name.scope))
                collections += created.suffix(1)
            } else {
                collections.append(try name.find(in: database))
            }
        }
        (self.collections, self.created) = (collections, created)
    }

    /// Runs a sync of the collections. If the sync fails, the collections that were created for it and are still empty
    /// are deleted.
    func sync(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch {
            // The user needs the error of the sync, not one of the deletion: a remaining empty collection does no harm.
            for collection in created { try? Self.deleteIfEmpty(collection) }
            throw error
        }
    }

    /// Deletes a collection that has never had a document, in one transaction: another process may write to it.
    private static func deleteIfEmpty(_ collection: Collection) throws {
        try collection.database.inBatch {
            guard try collection.lastSequence == 0 else { return }
            try collection.database.deleteCollection(name: collection.name, scope: collection.scopeName)
        }
    }
}

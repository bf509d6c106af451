import ArgumentParser
import Foundation
import SealiteAuthentication
import SealiteCredentials
import SealiteCrypto
import SealiteDatabase
import SealiteFile
import SealiteReplicator

/// `sealite sync`
struct Sync: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Sync a document database with a remote one: a Sync Gateway, or another 'sealite serve'.",
        discussion: """
            Pushes and pulls, unless told otherwise, and ends when all is replicated. Exit code 0 only if every document \
            went through; what the remote refused is offered again each time and listed by 'sealite sync-status'. The last line \
            counts the documents that were pushed, that were already there, that were pulled, that were removed because \
            access to them was lost, the conflicts that were resolved, and what failed. The credential for the URL is found in the credential store at each connection: a client \
            identity, and a session, a bearer token or a password.

            Without --collection, all collections of the local database are synced that the remote has; one line says which, \
            and which only one side has. A Sync Gateway can't be asked for its collections.

            Example: sealite sync notes.db wss://sync.example.com:4984/notes --user ana
            """)

    @Argument(help: "The database.", completion: .file())
    var database: String

    @Argument(help: "The remote database, as wss://host:4984/name.")
    var url: String

    @Option(help: ArgumentHelp("The user whose credential is used.", valueName: "name"))
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

    @Option(
        name: .customLong("collection"),
        help: ArgumentHelp(
            "Sync this collection, which is created if it doesn't exist. May be repeated.", valueName: "name"))
    var collections: [CollectionName] = []

    @Option(name: .customLong("channel"), help: "Pull only this channel. May be repeated.")
    var channels: [String] = []

    @Option(
        name: .customLong("doc-id"), help: ArgumentHelp("Sync only this document. May be repeated.", valueName: "id"))
    var documentIDs: [String] = []

    @Option(
        help: ArgumentHelp(
            "Sync only the documents that this file lists, one id a line; - is standard input.", valueName: "file"),
        completion: .file())
    var docIdsFile: String?

    @Flag(
        help: ArgumentHelp(
            "Keep the documents that are named in the set that the database syncs, and sync that.",
            discussion: "The set is of each collection. Without ids the set is synced as it is."))
    var keepIds = false

    @OptionGroup(title: "Conflicts") var conflicts: SyncConflictOptions

    @OptionGroup(title: "Whom to trust") var trust: SyncTrustOptions

    @Flag(help: "Ignore checkpoints and compare all documents with the remote again.")
    var reset = false

    @Option(
        help: ArgumentHelp(
            "The maximum number of consecutive connection attempts. Default: 3, or unlimited with --continuous.",
            valueName: "n"))
    var attempts: Int?

    @OptionGroup var options: DocumentOptions

    func validate() throws {
        guard !(push && pull) else {
            throw ValidationError("--push and --pull are mutually exclusive; by default both are done.")
        }
        guard !(anonymous && user != nil) else {
            throw ValidationError("--anonymous and --user can't be given together.")
        }
        guard !(keepIds && (push || pull || reset || !channels.isEmpty)) else {
            throw ValidationError("--keep-ids can't be given together with --push, --pull, --channel and --reset.")
        }
        guard !(create && push) else { throw ValidationError("--create and --push can't be given together.") }
        guard attempts ?? 1 > 0 else { throw ValidationError("--attempts takes 1 or more.") }
    }

    func run() throws {
        let target = try SyncURL.endpoint(url)
        if create { try createDatabase() }
        try options.withDatabase(database) { database in
            let named = try NamedCollections(collections, in: database, mayCreate: !push)
            let synced =
                try collections.isEmpty ? database.scopes().flatMap { try $0.collections() } : named.collections
            var configuration = ReplicatorConfiguration(collections: synced, target: target)
            configuration.replicatorType = push ? .push : pull ? .pull : .pushAndPull
            configuration.continuous = continuous
            configuration.maxAttempts = attempts ?? (continuous ? 0 : 3)
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
    }

    private func run(_ configuration: ReplicatorConfiguration, _ ids: [String]) throws {
        if keepIds { return try KeptSyncRun(configuration, ids: ids, json: options.output.json).run() }
        do {
            try SyncedCollections(configuration, isChosen: !collections.isEmpty, output: options.output)
                .run(reset: reset)
        } catch let error as ToolError {
            throw SyncCredentials(url: url, user: user, isAnonymous: anonymous).explained(error, options.key)
        }
    }

    /// Creates the database if there is none, with the key that opens it afterwards.
    private func createDatabase() throws {
        guard !FileManager.default.fileExists(atPath: database) else { return }
        guard let source = try options.key.namedSource() else {
            throw ToolError.usage(
                "no key for the new database \"\(database)\" was given",
                hint: "give one with --key-file, --passphrase-file or another option of --help-keys")
        }
        _ = try SealedDatabase.create(database, slot: source.newSecret(cost: .default))
        if !options.output.json { Console.confirm("made \"\(database)\"".withoutControls) }
    }

    /// The ids that the options name; nil where they name none.
    private func namedIDs() throws -> [String]? {
        guard let docIdsFile else { return documentIDs.isEmpty ? nil : documentIDs }
        var ids = documentIDs
        let file = try InputFile(docIdsFile, besides: database)
        while let line = try file.line() {
            let id = String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line[...], as: UTF8.self)
            if !id.isEmpty { ids.append(id) }
        }
        return ids
    }

    private func authenticator() throws -> (any Authenticator)? {
        let store = options.key.store
        // Without any sign of a store, none is opened.
        guard !anonymous, try user != nil || store.isChosen() || Credentials.mayHaveStore() else { return nil }
        let onDemand = StoreOnDemand(store, options.key.asking.permission)
        if try user != nil || store.isChosen() { try requireVault(onDemand) }
        // Who named no user may call without credentials, where the store has none for the remote.
        return StoreAuthenticator(
            opening: { () async throws(CredentialError) in try await onDemand.open() }, account: user,
            isOptional: user == nil,
            client: SessionClient(trust: try trust.trust, allowsUnencrypted: allowUnencrypted),
            access: onDemand.access)
    }

    /// Throws an error if the vault that the credential should be in doesn't exist, for which waiting doesn't help. Other
    /// failures of the store are left to the replicator.
    private func requireVault(_ store: StoreOnDemand) throws {
        do {
            try waiting { _ = try await store.open() }
        } catch let error as CredentialError where error.code == .noVault {
            throw error
        } catch is CredentialError {}
    }
}

/// The URL of a remote database on the command line.
enum SyncURL {
    /// Parses a URL; `https` and `http` stand for `wss` and `ws`.
    ///
    /// - Throws: a `ToolError` for invalid usage.
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

/// The servers that `sealite sync`, `login` and `logout` trust.
struct SyncTrustOptions: ParsableArguments {
    @Option(
        name: .customLong("pin"),
        help: ArgumentHelp(
            "Only a server with this public key: its SHA-256 in hex, or a file with a certificate. May be repeated.",
            valueName: "hex|file"))
    var pins: [String] = []

    @Flag(help: "Accept any self-signed server certificate.")
    var selfSigned = false

    @Option(help: "Accept the issuers in this PEM file in addition to the system's.", completion: .file())
    var ca: String?

    func validate() throws {
        try KeyOptions.requireOne(("--pin", !pins.isEmpty), ("--self-signed", selfSigned), ("--ca", ca != nil))
    }

    private var roots: [[UInt8]] {
        get throws { try ca.map { try Self.certificates($0) } ?? [] }
    }

    var trust: ServerTrust {
        get throws {
            if selfSigned { return .selfSigned }
            guard pins.isEmpty else { return .pinned(try pins.flatMap { try Self.pin($0) }) }
            return .system(additionalRoots: try roots)
        }
    }

    private static func pin(_ text: String) throws -> [ServerTrust.Pin] {
        if let digest = digest(text) { return [.publicKeyDigest(digest)] }
        guard !text.allSatisfy(\.isHexDigit) || FileManager.default.fileExists(atPath: text) else {
            throw ToolError.usage(
                "a pin has 64 hex digits, and this one has \(text.count)",
                hint: "'sealite serve' prints the server's pin")
        }
        return try certificates(text).map { .certificate($0) }
    }

    /// Returns 32 bytes from hex digits; nil for any other text.
    private static func digest(_ text: String) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count == 64 else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: 64, by: 2) {
            guard let high = Character(Unicode.Scalar(digits[index])).hexDigitValue,
                let low = Character(Unicode.Scalar(digits[index + 1])).hexDigitValue
            else { return nil }
            bytes.append(UInt8(high << 4 | low))
        }
        return bytes
    }

    static func certificates(_ path: String) throws -> [[UInt8]] {
        try ClientIdentity.certificates(
            pem: try KeySource.file(path).contents(limit: ClientIdentity.maximumByteCount, isSecret: false))
    }
}

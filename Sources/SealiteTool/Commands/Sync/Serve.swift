import ArgumentParser
import CoreMetrics
import Dispatch
internal import Logging
import SealiteCredentials
import SealiteCrypto
import SealiteDatabase
import SealiteFile
import SealiteReplicator
import SealiteTransport
import Synchronization

/// The command `sealite serve`, which serves a document database to peers that sync with it.
struct Serve: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve a document database to peers that sync with it.",
        discussion: """
            Listens with TLS, on this machine only unless --interface says otherwise, and writes its URLs and what peers \
            --pin. Who may connect is set by --user, whose password --set-password stores (or \
            'sealite credential set sealite-serve:ID --user NAME' with the serve id that 'sealite info' shows where a key is \
            given), by --client-ca, or by --anyone. \
            A backup that is restored keeps the id. All who connect may read and, unless --read-only is given, write everything. SIGTERM ends it in order: clients with a continuous sync come \
            back when it is started again.

            All peers behind a reverse proxy have its address, and share the limits on connections and wrong \
            passwords, unless --proxy names the proxy and the proxy sets X-Forwarded-For.

            The certificate is created at the first start and kept in the credential store if one is used: with \
            --user, or if a store is named. Otherwise each start creates a new certificate, with a new pin. 'sealite \
            credential set NAME --certificate FILE --private-key FILE' stores another certificate, which --identity \
            selects.

            Peers, syncs and refusals are logged on standard error; --log-level sets the level. Under systemd the \
            lines have the journal's priorities, and a unit of the type 'notify' learns when the server listens; with \
            WatchdogSec= it is told as long as the server answers and its database can be read.

            --metrics-port serves numbers for Prometheus at http://127.0.0.1:PORT/metrics, to programs of this machine \
            alone: connections, documents, bytes, commits, sizes. They hold no document ids, users or addresses.

            Example: sealite serve notes.db --port 4984 --set-password ana
            """)

    @OptionGroup var place: DatabaseArgument

    @Option("n", help: "The TCP port to listen on; 0 for any free one.")
    var port = 0

    @Option("name|address", help: "The name or an address of the interface to listen on; 'all' for all interfaces.")
    var interface = "127.0.0.1"

    @Option("name", help: "The database's name in the URL. Default: the file's name without '.db'.")
    var name: String?

    @Option(
        "name", name: .customLong("collection"),
        help: "Serve this collection. Default: all, with those made later. May be repeated.")
    var collections: [CollectionArgument] = []

    @Option(
        "name", name: .customLong("user"),
        help: "Accept peers that authenticate with this user's password. May be repeated.")
    var users: [String] = []

    @Option(
        "name",
        help:
            "Store a password for this user, replacing an earlier one, and accept the user. It is asked for, or read from --password-file."
    )
    var setPassword: String?

    @Option("file", help: "Read the password of --set-password from this file, without a trailing line end.")
    var passwordFile: String?

    @Option(
        "level",
        help:
            "Log lines of this level and above: trace, debug, info, notice, warning, error or critical. Default: info, or warning with --quiet."
    )
    var logLevel: LogLevel?

    @Option("file", help: "Accept peers with a certificate of an issuer in this PEM file.")
    var clientCa: String?

    @Flag(help: "Accept all peers without authentication.")
    var anyone = false

    @Option(
        "address[/bits]", name: .customLong("proxy"),
        help: "Take the peer's address from X-Forwarded-For on connections from this reverse proxy. May be repeated.")
    var proxies: [ProxyRange] = []

    @Option(
        "n",
        help:
            "The maximum number of simultaneous peers with one address: an IPv4 address, or the first 64 bits of an IPv6 address."
    )
    var connectionsPerAddress = 64

    @Option("n", help: "The maximum number of simultaneous peers.")
    var connections = 256

    @Option("n", help: "Serve numbers for Prometheus on this port of 127.0.0.1; 0 for any free one.")
    var metricsPort: Int?

    @Option("name", help: "Present the certificate stored under this name, not the one that is made and kept.")
    var identity: String?

    @Flag(help: "Use a temporary certificate, with a new pin at each start.")
    var newIdentity = false

    @Flag(help: "Allow peers to read only.")
    var readOnly = false

    @Flag(help: "Send and take whole documents only, not the differences of changed ones.")
    var noDeltas = false

    @Flag(
        help: "Listen without TLS; requires a local address or --allow-unencrypted.")
    var plain = false

    @Flag(
        help:
            "Let --plain listen on addresses that other machines can reach: everyone on the network path can read passwords and all documents."
    )
    var allowUnencrypted = false

    @OptionGroup var options: DocumentOptions

    /// The names of the users who may connect with a password: those of `--user` and of `--set-password`.
    private var accepted: [String] {
        users + (setPassword.map { users.contains($0) ? [] : [$0] } ?? [])
    }

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port takes 0 to 65535.") }
        let isLocal = ["127.0.0.1", "::1", "lo"].contains(interface)
        guard !plain || isLocal || allowUnencrypted else {
            throw ValidationError(
                "--plain can't be given with an --interface other than 127.0.0.1, ::1 or lo: passwords and documents would go over "
                    + "the network in clear. --allow-unencrypted allows it.")
        }
        guard plain || !allowUnencrypted else { throw ValidationError("--allow-unencrypted needs --plain.") }
        guard !plain || (clientCa == nil && identity == nil && !newIdentity) else {
            throw ValidationError("--plain can't be given with --client-ca, --identity or --new-identity.")
        }
        try ValidationError.requireOne(("--identity", identity != nil), ("--new-identity", newIdentity))
        guard passwordFile == nil || setPassword != nil else {
            throw ValidationError("--password-file needs --set-password.")
        }
        let isChecked = !accepted.isEmpty || clientCa != nil
        guard isChecked || anyone else {
            throw ValidationError(
                "Without --user, --set-password or --client-ca, everybody who reaches \(interface) could "
                    + "\(readOnly ? "read" : "read and write") the database; --anyone allows that.")
        }
        guard !isChecked || !anyone else {
            throw ValidationError("--anyone can't be given with --user, --set-password or --client-ca.")
        }
        guard (1...65_535).contains(connections) else { throw ValidationError("--connections takes 1 to 65535.") }
        guard (1...connections).contains(connectionsPerAddress) else {
            throw ValidationError(
                "--connections-per-address takes 1 to \(connections), the maximum number of simultaneous peers (--connections)."
            )
        }
        guard (0...65_535).contains(metricsPort ?? 0) else {
            throw ValidationError("--metrics-port takes 0 to 65535.")
        }
        guard metricsPort ?? 0 == 0 || metricsPort != port else {
            throw ValidationError("--metrics-port and --port are the same port.")
        }
        guard name?.isEmpty != true else { throw ValidationError("--name is empty.") }
    }

    func run() throws {
        let manager = ServiceManager.take()
        ToolLog.raise(to: logLevel?.level ?? (options.output.quiet ? .warning : .info))
        let registry = metricsPort.map { _ in MetricsRegistry() }
        // Before the database is opened, which makes its measures then.
        if let registry { MetricsSystem.bootstrap(registry) }
        DescriptorLimit.raise(toServe: connections)
        HeapAreas.limit()
        try options.withDatabase(place.database) { database in
            var configuration = ListenerConfiguration(
                collections: try served(of: database), databaseName: name ?? standardName)
            configuration.port = port
            configuration.networkInterface = interface == "all" ? nil : interface
            configuration.isEncrypted = !plain
            configuration.allowsUnencryptedCredentials = allowUnencrypted
            configuration.maximumConnectionCount = connections
            configuration.readOnly = readOnly
            configuration.enableDeltaSync = !noDeltas
            configuration.servesAllCollections = collections.isEmpty
            configuration.access = anyone ? .anyone : .authenticated
            configuration.trustedProxies = proxies.map(\.range)
            configuration.connectionsPerAddress = connectionsPerAddress
            if let clientCa {
                configuration.clientCertificates = .issued(by: try SyncTrustOptions.certificates(clientCa))
            }
            let store = LazyCredentialStore(options.key.store, options.key.asking.permission)
            configuration.identity = try identity.map { try Self.identity(named: $0, in: store) }
            let service = CredentialService.server(try database.serviceID())
            if let setPassword { try storePassword(of: setPassword, store, service) }
            if !accepted.isEmpty { configuration.passwordCheck = try passwordCheck(store, service) }
            if !plain, identity == nil, !newIdentity, !accepted.isEmpty || options.key.store.isNamed {
                configuration.identity = try waiting { try await store.keptIdentity(for: service) }
            }
            let page = try registry.map { try metricsServer($0, of: database) }
            try listen(ReplicationListener(configuration), page, manager)
        }
    }

    /// Starts to serve the numbers of `--metrics-port`.
    private func metricsServer(_ registry: MetricsRegistry, of database: Database) throws -> PageServer {
        do {
            return try waiting { [metricsPort] in
                try await PageServer.start(port: metricsPort ?? 0, path: MetricsPage.path) { [weak database] in
                    database?.measureSizes()
                    return PageServer.Page(
                        contentType: MetricsPage.contentType, body: Array(MetricsPage.text(registry).utf8))
                }
            }
        } catch let error as TransportError {
            throw ToolError(error)
        }
    }

    private var standardName: String {
        let file = place.database.split(separator: "/").last.map(String.init) ?? place.database
        return file.hasSuffix(".db") && file.count > 3 ? String(file.dropLast(3)) : file
    }

    private func served(of database: Database) throws -> [SealiteDatabase.Collection] {
        guard collections.isEmpty else {
            return try collections.map { try $0.find(in: database) }
        }
        return try database.collectionsOfAllScopes()
    }

    private static func identity(named name: String, in store: LazyCredentialStore) throws -> TransportIdentity {
        try waiting {
            let stored = try await store.identity(named: name)
            return TransportIdentity(stored)
        }
    }

    /// Stores the password of `--set-password`, which is asked for or read.
    private func storePassword(of user: String, _ store: LazyCredentialStore, _ service: CredentialService) throws {
        let password: SecretBytes
        if let passwordFile {
            password = try KeySource.file(passwordFile).passphrase(called: "password")
        } else {
            guard options.key.asking.permission.isGiven else {
                throw ToolError.usage(
                    "no password was given for the user \"\(user)\" of --set-password",
                    hint: "give it with --password-file")
            }
            password = try Terminal.newSecret("Password of \(user)")
        }
        let box = SecretBox(password)
        try waiting {
            guard let password = box.take() else { return }
            try await store.save(password, of: user, servedBy: service)
        }
    }

    /// Returns a closure that says whether a user may connect and has the given password in the store at that time. A
    /// password that is missing at the start is an error.
    private func passwordCheck(
        _ store: LazyCredentialStore, _ service: CredentialService
    ) throws -> @Sendable (String, SharedSecret) async throws -> Bool {
        let users = accepted
        try waiting {
            for user in users { _ = try await store.password(of: user, servedBy: service) }
        }
        return { user, password in
            // A refusal takes as long as an acceptance, so that the response time doesn't reveal user names.
            let isListed = users.contains(user)
            do throws(CredentialError) {
                let stored = try await store.password(of: isListed ? user : users[0], servedBy: service)
                return stored.isEqual(to: password.duplicate()) && isListed
            } catch {
                // A password that was removed from the store is no longer accepted.
                guard error.code == .notFound else { throw error }
                password.compareInVain()
                return false
            }
        }
    }

    private func listen(
        _ listener: ReplicationListener, _ page: PageServer?, _ manager: ServiceManager?
    ) throws {
        let end = DispatchSemaphore(value: 0)
        let isEnding = Mutex(false)
        try Signals.handling(by: { _ in
            // The first signal stops the server properly, the second at once.
            let isFirst = isEnding.withLock { isEnding in
                defer { isEnding = true }
                return !isEnding
            }
            if isFirst { end.signal() }
            return isFirst
        }) {
            do {
                try waiting { try await listener.start() }
            } catch let error as ReplicatorError {
                throw ToolError(error)
            }
            announce(listener, page)
            let status = { @Sendable in
                "Port \(listener.port ?? 0), \(listener.status.connectionCount) peers, "
                    + "\(listener.status.activeConnectionCount) of them replicating"
            }
            manager?.tell("READY=1", "STATUS=" + status())
            let watch = manager.map { manager in
                Task { await manager.keepAlive(while: { await listener.answers() }, status: status) }
            }
            end.wait()
            watch?.cancel()
            manager?.tell("STOPPING=1", "STATUS=Closing the connections of \(listener.status.connectionCount) peers")
            try waiting { await listener.stop() }
            if let page { try waiting { await page.stop() } }
        }
    }

    private func announce(_ listener: ReplicationListener, _ page: PageServer?) {
        let pin = listener.publicKeyDigest.map { Hexadecimal.text(of: $0) }
        let isLasting = listener.configuration.identity != nil
        let metrics = page.map { "http://127.0.0.1:\($0.port)\(MetricsPage.path)" }
        if options.output.json {
            Console.print([
                "urls": listener.urls, "pin": pin, "lasting": pin == nil ? nil : isLasting,
                "metrics": metrics,
            ])
        } else {
            for url in listener.urls { Console.print(url) }
            if let pin { Console.print("pin \(pin)") }
            if let metrics { Console.print("metrics \(metrics)") }
            if pin != nil, !isLasting {
                Console.note(
                    "The certificate was made for this start only: the next start has another pin. See --identity.\n")
            }
        }
    }
}

/// The value of `--log-level`: the lowest level of the log lines that are written.
struct LogLevel: ExpressibleByArgument {
    let level: Logger.Level

    init?(argument: String) {
        guard let level = Logger.Level(rawValue: argument) else { return nil }
        self.level = level
    }
}

/// The value of `--proxy`: the addresses of a reverse proxy whose `X-Forwarded-For` is trusted.
struct ProxyRange: ExpressibleByArgument {
    let range: AddressRange

    init?(argument: String) {
        guard let range = AddressRange(argument) else { return nil }
        self.range = range
    }
}

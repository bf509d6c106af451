import SealiteProtocol
import SealiteAuthentication
import SealiteCredentials
import SealiteCrypto
import SealiteDatabase
import SealiteTestSupport
import SealiteTransport
import SealiteTransportTestSupport
import Testing

@testable import SealiteReplicator

@Suite("logs of replicators and listeners", .takesSocketTurn)
struct SyncLogTests {
    /// Part of every password, session and header.
    private static let marker = "mArKeR-5ecret"
    /// Part of the user's name and of all that documents hold.
    private static let content = "cOnTeNt"
    private static let user = "ana-" + content

    private let here = CollectedLog()
    private let there = CollectedLog()
    private let store = InMemoryStore()

    private func secret(_ text: String = marker) -> SecretBytes { SecretBytes(copying: Array(text.utf8)) }

    private func start(_ change: (inout ListenerConfiguration) throws -> Void = { _ in }) async throws -> NetworkPair {
        let pair = try await NetworkPair.start { configuration in
            configuration.databaseName = Self.content
            configuration.logger = there.logger
            configuration.passwordCheck = { user, password in
                user == Self.user && password.duplicate().isEqual(to: SecretBytes(copying: Array(Self.marker.utf8)))
            }
            try change(&configuration)
        }
        try pair.client.save("id-\(Self.content)", #"{"\#(Self.content)": "\#(Self.content)"}"#)
        try pair.client.save("blob", attachment: Array(Self.content.utf8))
        return pair
    }

    /// Syncs once; returns the error's code.
    @discardableResult
    private func sync(
        _ pair: NetworkPair, _ authenticator: (any Authenticator)?
    ) async throws -> ReplicatorError.Code? {
        let replicator = try pair.replicator {
            $0.logger = here.logger
            $0.authenticator = authenticator
            $0.headers = [HTTPField("X-Api-Key", Self.marker)]
        }
        do {
            try await replicator.run()
            return nil
        } catch let error as ReplicatorError {
            return error.code
        }
    }

    /// Checks that no line has a secret, and none above `debug` anything of users and documents.
    private func checkSilence() {
        let lines = here.lines + there.lines
        let base64 = Base64.encode(Array("\(Self.user):\(Self.marker)".utf8))
        let telling = lines.filter { line in
            let isDebug = line.hasPrefix("debug ") && line.contains("document=id-")
            return line.contains(Self.marker) || line.contains(base64) || (line.contains(Self.content) && !isDebug)
        }
        #expect(telling.isEmpty)
    }

    @Test("a sync with a password tells begin and end with their numbers on both sides, and a wrong password its code")
    func passwords() async throws {
        let pair = try await start()
        let port = try pair.target.port
        #expect(try await sync(pair, BasicAuthenticator(username: Self.user, password: secret())) == nil)
        #expect(here.count(of: "info replication begins", "peer=127.0.0.1:\(port)", "_default._default") == 1)
        #expect(here.count(of: "debug connected", "peer=127.0.0.1:\(port)", "tls=TLSv1.3") == 1)
        #expect(here.count(of: "info replication ended", "documents=2", "duration_ms=") == 1)
        let wrong = BasicAuthenticator(username: Self.user, password: secret("not " + Self.marker))
        #expect(try await sync(pair, wrong) == .http(401))
        #expect(here.count(of: "error replication failed", "code=http(401)") == 1)
        await pair.listener.stop()
        // A session logs its end after that of its connection, for which the replicator and the listener wait.
        await eventually("the end of the session") { there.count(of: "peer disconnected") > 0 }
        #expect(there.count(of: "info listening", "port=\(port)", "tls=true") == 1)
        #expect(there.count(of: "info peer connected", "peer=127.0.0.1:") == 1)
        #expect(there.count(of: "info peer disconnected", "peer=127.0.0.1:", "requests=", "duration_ms=") == 1)
        #expect(there.count(of: "warning refused a peer", "peer=127.0.0.1", "code=http(401)") == 1)
        #expect(there.count(of: "info no longer listening") == 1)
        checkSilence()
    }

    @Test("a database of the same program is named in the log by its UUID, and not by a host and a port")
    func localTarget() async throws {
        let (near, far) = (try SyncDatabase(), try SyncDatabase())
        var configuration = ReplicatorConfiguration(
            collections: [near.collection], target: try DatabaseEndpoint(far.database))
        configuration.logger = here.logger
        try await Replicator(configuration).run()
        let peer = "peer=database:\(try await far.database.publicUUID())"
        #expect(here.count(of: "info replication begins", peer) == 1)
        #expect(here.count(of: "info replication ended", peer) == 1)
        #expect(here.count(of: "localhost") == 0)
    }

    @Test("documents that a peer refuses when it pulls them are counted in the listener's log")
    func refusedByPeer() async throws {
        let pair = try await start { $0.passwordCheck = nil }
        for id in ["deep", "deeper", "fine"] { try pair.server.save(id, "{}") }
        let replicator = try pair.replicator { $0.collections[0].pullFilter = { document, _ in document.id == "fine" } }
        try await replicator.run()
        #expect(replicator.status.progress.pulledCount == 1 && replicator.status.progress.pushedCount == 2)
        // The replicator ends once it has sent its answers; the listener counts them when it has read them.
        await eventually("the listener's log of the refusals") {
            there.count(of: "warning peer refused documents", "peer=127.0.0.1", "count=2") == 1
        }
        await pair.listener.stop()
    }

    @Test("a session that is renewed is a warning, and the store tells what it was asked for")
    func sessions() async throws {
        let pair = try await start()
        let service = try CredentialService(pair.target.description)
        try await store.save(.password(secret()), service: service, account: Self.user)
        let old = SessionCredential(sessionID: secret("old-" + Self.marker), expires: nil)
        let logged = store.logged(by: here.logger)
        try await logged.save(.session(old), service: service, account: Self.user)
        let authenticator = SessionAuthenticator(store: logged, client: SessionClient(trust: pair.trust))
        #expect(try await sync(pair, authenticator) == nil)
        #expect(here.count(of: "warning the remote refused the handshake", "code=http(401)") == 1)
        #expect(here.count(of: "info credential store answered", "call=save", "kinds=[\"session\"]", "peer=") == 2)
        #expect(here.count(of: "debug credential store answered", "call=match", "count=", "duration_ms=") > 0)
        await pair.listener.stop()
        checkSilence()
    }

    @Test("a client without a certificate is refused in both logs, one with it isn't")
    func certificates() async throws {
        let root = try TestCertificates.certificate("root")
        let pair = try await start {
            $0.passwordCheck = nil
            $0.clientCertificates = .issued(by: [root])
        }
        #expect(try await sync(pair, nil) == .connection(.clientCertificateRequired))
        #expect(here.count(of: "error replication failed", "code=clientCertificateRequired") == 1)
        // The client may know of its refusal before the listener has logged it.
        await eventually("the listener logged the refusal") {
            there.count(of: "warning refused a peer", "peer=127.0.0.1", "code=tls") == 1
        }
        let identity = try TestCertificates.identity("client")
        let authenticator = ClientCertificateAuthenticator(
            certificates: identity.certificates, privateKey: identity.privateKey.duplicate())
        #expect(try await sync(pair, authenticator) == nil)
        #expect(here.count(of: "info replication ended", "documents=2") == 1)
        await pair.listener.stop()
        checkSilence()
    }

    @Test(
        "documents that are refused are counted in a warning, and named at level debug alone; a remote's words are left out"
    )
    func refusals() throws {
        let database = try SyncDatabase()
        var configuration = ReplicatorConfiguration(collections: [database.collection], target: try SyncPair.target())
        configuration.logger = here.logger
        let error = ReplicatorError(.remote(domain: Self.marker, code: 26), Self.marker)
        let events = ["id-1-\(Self.content)", "id-2-\(Self.content)"].map {
            (DocumentEvent(collection: 0, documentID: $0, isPush: true), error as ReplicatorError?)
        }
        let fine = (DocumentEvent(collection: 0, documentID: "fine", isPush: true), ReplicatorError?.none)
        ReplicatorLog(configuration).documents(events + [fine])
        let words = "collection=_default._default count=2 direction=push peer=127.0.0.1:4984"
        #expect(here.lines.filter { $0.hasPrefix("warning") }.count == 1)
        #expect(here.count(of: "warning documents not replicated code=remote(26)", words) == 1)
        #expect(here.count(of: "debug document not replicated", "document=id-") == 2)
        #expect(here.lines.count == 3)
        checkSilence()
    }

    @Test("a request that fails in the listener's database is a warning with the code, and the peer learns no more")
    func failedRequest() async throws {
        let (client, server) = (try SyncDatabase(), try SyncDatabase())
        let ours = try await client.database.createCollection(name: "notes")
        let theirs = try await server.database.createCollection(name: "notes")
        try client.save("a", "{}", in: ours)
        var served = ServiceConfiguration(collections: [theirs])
        served.log = ListenerLog(there.logger)
        let service = try ReplicationService(served)
        try await server.database.deleteCollection(name: "notes")
        var configuration = ReplicatorConfiguration(collections: [ours], target: try SyncPair.target())
        configuration.replicatorType = .push
        configuration.logger = here.logger
        let replicator = try Replicator(configuration, dialing: LoopDialer(service).dial)
        let error = await #expect(throws: ReplicatorError(.http(500), "")) { try await replicator.run() }
        #expect(error?.reason.hasSuffix("failed with the error not-open") == true)
        #expect(there.count(of: "warning a request of a peer failed in the database", "code=not-open") == 1)
    }

    @Test("a remote that isn't there is a warning for each wait, and an error at the end")
    func offline() async throws {
        let held = try HeldPort()
        defer { withExtendedLifetime(held) {} }
        let pair = try await start { $0.port = held.port }
        let replicator = try pair.replicator {
            $0.logger = here.logger
            $0.authenticator = BasicAuthenticator(username: Self.user, password: secret())
            $0.maxAttempts = 2
        }
        await pair.listener.stop()
        try await replicator.waitUntilRefused()
        await #expect(throws: ReplicatorError(.connection(.connectionRefused), "")) { try await replicator.run() }
        #expect(here.count(of: "warning replication is offline", "code=connectionRefused", "wait_ms=") == 1)
        #expect(here.count(of: "error replication failed", "code=connectionRefused") == 1)
        checkSilence()
    }
}

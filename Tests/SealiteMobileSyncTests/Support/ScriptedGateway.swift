@testable import SealiteProtocol
@testable import SealiteProtocolTestSupport
import SealiteAuthentication
import SealiteCredentials
import SealiteCrypto
import SealiteMongo
import SealiteReplicator
import SealiteRevisions
import SealiteTransport
import SealiteTransportTestSupport
import SealiteValues
import Synchronization
import Testing

@testable import SealiteMobileSync

/// A Sync Gateway of one collection, on a real socket, which keeps no more than it needs to answer as Sync Gateway 4.1.1 was seen to: proposals alone, conflicts with a
/// revision or without, refusals by a sync function, access that is lost and given back, logins that end.
final class ScriptedGateway: Sendable {
    private let server = Mutex<WebSocketServer?>(nil)
    private let content = Mutex(GatewayContent())
    private let wakings = Mutex<[Int: AsyncStream<GatewayInput>.Continuation]>([:])
    private let connections = Mutex<[any MessageConnection]>([])
    private let isOpen = Atomic<Bool>(true)
    private let users = Mutex<Set<String>>([])

    /// Begins to listen.
    static func start() async throws -> ScriptedGateway {
        let gateway = ScriptedGateway()
        var configuration = WebSocketServerConfiguration()
        configuration.networkInterface = "127.0.0.1"
        configuration.passwordCheck = { user, _ in
            gateway.users.withLock { _ = $0.insert(user) }
            return gateway.isOpen.load(ordering: .acquiring)
        }
        let server = try await WebSocketServer.start(configuration) { connection in
            gateway.connections.withLock { $0.append(connection) }
            try? await gateway.serve(connection)
        }
        gateway.server.withLock { $0 = server }
        return gateway
    }

    func stop() async { await server.withLock { $0 }?.stop() }

    func remote() throws -> MobileSyncRemote { try remote(for: "alice") }

    /// The remote with the login of a user.
    func remote(for user: String) throws -> MobileSyncRemote {
        let port = server.withLock { $0?.port } ?? 0
        return MobileSyncRemote(try EndpointURL("ws://127.0.0.1:\(port)/db")) { configuration in
            configuration.authenticator = BasicAuthenticator(
                username: user, password: SecretBytes(copying: Array("password".utf8)))
            configuration.maxAttemptWaitTime = .milliseconds(20)
            configuration.maxAttempts = configuration.continuous ? 0 : 2
        }
    }

    /// Returns whether a user has asked for a connection.
    func hasSeen(_ user: String) -> Bool { users.withLock { $0.contains(user) } }

    // MARK: - What happens at the server

    /// Reads what the gateway has.
    func read<Result>(_ body: (GatewayContent) throws -> Result) rethrows -> Result {
        try body(content.withLock { $0 })
    }

    /// Changes what the gateway has, or how it answers, and has its connections look.
    @discardableResult
    func change<Result: Sendable>(_ body: (inout GatewayContent) throws -> Result) rethrows -> Result {
        let result = try content.withLock { try body(&$0) }
        for continuation in wakings.withLock({ Array($0.values) }) { continuation.yield(.changed) }
        return result
    }

    /// Ends all connections, as a proxy does that restarts.
    func dropConnections() async {
        let open = connections.withLock { connections in
            defer { connections = [] }
            return connections
        }
        for connection in open { await connection.close(code: 1001, reason: "") }
    }

    /// Ends the user's login, with all connections, or gives it back.
    func setLogin(_ isValid: Bool) async {
        isOpen.store(isValid, ordering: .releasing)
        if !isValid { await dropConnections() }
    }

    /// The documents by their ids.
    func all() throws -> [String: MongoDocument] {
        var found: [String: MongoDocument] = [:]
        for (key, document) in read({ $0.documents }) where !document.isDeleted {
            let id = DocumentKey.value(of: key)
            var members: MongoDocument = ["_id": id]
            let body = try MongoDocument(extendedJSON: String(decoding: document.body, as: UTF8.self))
            for member in body { members[member.key] = member.value }
            found["\(id)"] = members
        }
        return found
    }

    // MARK: - Connections

    private func serve(_ connection: any MessageConnection) async throws {
        let (inputs, continuation) = AsyncStream.makeStream(of: GatewayInput.self)
        let number = content.withLock { content in
            content.connectionCount += 1
            return content.connectionCount
        }
        wakings.withLock { $0[number] = continuation }
        defer { wakings.withLock { $0[number] = nil } }
        let reading = Task {
            do {
                for try await frame in connection.messages { continuation.yield(.frame(frame)) }
            } catch {}
            continuation.finish()
        }
        defer { reading.cancel() }
        let session = GatewaySession(self, try Endpoint())
        for await input in inputs {
            if case .frame(let frame) = input { try session.receive(frame) }
            try session.proceed()
            while let frame = try session.endpoint.nextFrame() { try await connection.send([frame]) }
        }
    }
}

/// What a connection of a gateway waits for.
enum GatewayInput: Sendable {
    case frame([UInt8])
    case changed
}

/// What a gateway has, and how it answers.
struct GatewayContent: Sendable {
    /// A document, with the current branch of its revisions.
    struct Stored: Sendable {
        /// The revisions, newest first.
        var revisions: [String]
        var isDeleted: Bool
        var body: [UInt8]
        /// The number of the change by which it became so.
        var number: Int
        var isReadable = true
    }

    /// A change, as it is announced.
    struct Change: Sendable {
        /// The sequence in JSON: a number, or a text that has the number at which access changed.
        var sequence: String
        var id: String
        var revision: String
        var flags: ChangesRequest.Flags
    }

    var documents: [String: Stored] = [:]
    var changes: [Change] = []
    var checkpoints: [String: (revision: Int, body: [UInt8])] = [:]
    var connectionCount = 0
    /// The text with which the sync function refuses a document; nil takes it.
    var refusal: (@Sendable (_ id: String) -> String?)?
    /// A Boolean value that says whether conflicts are answered with the current revision.
    var namesConflicts = true
    /// The next change that comes between a proposal and its revision.
    var meanwhile: (id: String, json: String)?
    /// The statuses with which proposals and revisions were answered.
    var answers: [String] = []
    /// Messages that no client should send.
    var unexpected: [String] = []

    /// Writes a document at the server; nil deletes it.
    mutating func write(_ id: String, _ json: String?) {
        let old = documents[id]?.revisions ?? []
        let generation = (old.first.flatMap { Int($0.prefix { $0 != "-" }) } ?? 0) + 1
        let revision = "\(generation)-5e1ec7ed\(String(changes.count + 0x1000_0000, radix: 16))"
        store(id, [revision] + old, json.map { Array($0.utf8) })
    }

    mutating func store(_ id: String, _ revisions: [String], _ body: [UInt8]?) {
        changes.append(
            Change(
                sequence: String(changes.count + 1), id: id, revision: revisions[0], flags: body == nil ? .deleted : []
            ))
        documents[id] = Stored(
            revisions: revisions, isDeleted: body == nil, body: body ?? Array("{}".utf8), number: changes.count)
    }

    /// Takes the user's access to a document, or gives it back.
    mutating func setAccess(_ id: String, _ isReadable: Bool) {
        guard let document = documents[id] else { return }
        documents[id]?.isReadable = isReadable
        changes.append(
            Change(
                sequence: "\"\(changes.count + 1):\(document.number)\"", id: id, revision: document.revisions[0],
                flags: isReadable ? [] : .revoked))
    }

    /// Answers a proposal.
    func verdict(_ row: ProposeChangesRequest.Row) -> ProposalDecision {
        guard let current = documents[row.documentID], let newest = current.revisions.first else { return .wanted }
        if newest == row.version.text { return .known }
        if row.serverVersion?.text == newest || (current.isDeleted && row.serverVersion == nil) { return .wanted }
        return .conflict(current: Version(newest))
    }
}

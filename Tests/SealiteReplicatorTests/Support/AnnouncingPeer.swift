@testable import SealiteProtocolTestSupport
@testable import SealiteProtocol
import Foundation
import Synchronization

/// A passive peer with documents of any content, which no database may be able to store. It keeps its copies of checkpoints.
final class AnnouncingPeer: Sendable {
    private struct State {
        var bodies: [String: String] = [:]
        var checkpoints: [String: [UInt8]] = [:]
        var subscriptions: [[String]?] = []
        var announced: [BLIPTicket: [String]] = [:]
    }

    private let state = Mutex(State())

    /// The documents by their ids: JSON texts, and the same version for each.
    var bodies: [String: String] {
        get { state.withLock { $0.bodies } }
        set { state.withLock { $0.bodies = newValue } }
    }

    /// The ids that each subscription so far was limited to; nil for one that wasn't.
    var subscriptions: [[String]?] { state.withLock { $0.subscriptions } }

    /// Objects within each other.
    static func nested(_ depth: Int) -> String {
        String(repeating: #"{"a":"#, count: depth) + "1" + String(repeating: "}", count: depth)
    }

    func start() async throws -> HostilePeer {
        try await HostilePeer.start { action, endpoint in
            switch action {
            case .request(let request): self.receive(request, endpoint)
            case .reply(let reply, let ticket): self.send(reply, ticket, endpoint)
            default: .ordinary
            }
        }
    }

    private func receive(_ request: BLIPRequest, _ endpoint: Endpoint) -> HostilePeer.Reaction {
        switch request.profile {
        case "setCheckpoint":
            state.withLock { $0.checkpoints[request.properties["client"] ?? ""] = request.body }
            return .ordinary
        case "getCollections":
            let asked = try? JSONSerialization.jsonObject(with: Data(request.body)) as? [String: [String]]
            let stored = state.withLock { $0.checkpoints[asked?["checkpoint_ids"]?.first ?? ""] }
            let item = stored.map { Array("{\"rev\":\"0-1\",".utf8) + $0.dropFirst() } ?? Array("{}".utf8)
            endpoint.reply(to: request.number, with: BLIPOutgoing(body: Array("[".utf8) + item + Array("]".utf8)))
            return .done
        case "subChanges":
            guard let message = try? SubChangesRequest(request, limits: MessageLimits()) else { return .ordinary }
            endpoint.reply(to: request.number, with: BLIPOutgoing())
            announce(message, endpoint)
            return .done
        default: return .ordinary
        }
    }

    private func announce(_ message: SubChangesRequest, _ endpoint: Endpoint) {
        // The only sequence is 1, of all documents.
        let ids = state.withLock { state in
            state.subscriptions.append(message.documentIDs)
            return state.bodies.keys.filter { message.documentIDs?.contains($0) ?? (message.since == nil) }.sorted()
        }
        let rows = ids.map { #"[1,"\#($0)","1-aa"]"# }.joined(separator: ",")
        let list = BLIPOutgoing(
            ["Profile": "changes", "collection": "0"], body: Array("[\(rows)]".utf8), isNoReply: ids.isEmpty)
        let ticket = endpoint.send(list)
        state.withLock { $0.announced[ticket] = ids }
    }

    /// Sends the documents that the answer to an announcement asks for.
    private func send(_ reply: BLIPReply, _ ticket: BLIPTicket, _ endpoint: Endpoint) -> HostilePeer.Reaction {
        guard let ids = state.withLock({ $0.announced.removeValue(forKey: ticket) }) else { return .ordinary }
        let answers = (try? JSONSerialization.jsonObject(with: Data(reply.body))) as? [Any] ?? []
        for (id, answer) in zip(ids, answers) where answer is [Any] {
            endpoint.send(
                BLIPOutgoing(
                    ["Profile": "rev", "collection": "0", "id": id, "rev": "1-aa", "sequence": "1"],
                    body: Array((bodies[id] ?? "{}").utf8)))
        }
        endpoint.send(
            BLIPOutgoing(["Profile": "changes", "collection": "0"], body: Array("[]".utf8), isNoReply: true))
        return .done
    }
}

import SealiteProtocol
import Foundation
import SealiteRevisions

/// An active side that says what a recorded one said, and keeps what a passive session answers.
final class ScriptedClient {
    let endpoint: Endpoint
    private let recording: Recording
    private var open: [BLIPTicket: RecordedMessage] = [:]
    private var waiting: [(key: String, request: BLIPRequest)] = []

    /// The replies, with the requests that they answer, in the order of the requests.
    private(set) var replies: [(request: RecordedMessage, reply: BLIPReply)] = []
    /// Requests of the passive side.
    private(set) var requests: [BLIPRequest] = []

    init(_ recording: Recording) throws {
        endpoint = try Endpoint()
        self.recording = recording
    }

    /// Says everything, each thing when all is still and what it answers has come; returns what could not be said.
    func run(_ passive: SessionNode<PassiveSession>) throws -> [String] {
        var unsaid: [String] = []
        for message in recording.messages where message.isFromActive {
            try still(passive)
            if message.type == .request {
                let ticket = endpoint.send(
                    BLIPOutgoing(
                        message.properties, body: message.body, isCompressed: message.flags.contains(.compressed),
                        isUrgent: message.flags.contains(.urgent), isNoReply: message.flags.contains(.noReply)))
                open[ticket] = message
            } else if let asked = recording.messages.first(where: {
                $0.type == .request && !$0.isFromActive && $0.number == message.number
            }) {
                let key = Self.key(asked.request)
                guard let index = waiting.firstIndex(where: { $0.key == key }) else {
                    unsaid.append("answer to \(key)")
                    continue
                }
                let request = waiting.remove(at: index).request
                if let error = message.reply.error {
                    endpoint.reply(to: request.number, error: error)
                } else {
                    endpoint.reply(to: request.number, with: BLIPOutgoing(message.properties, body: message.body))
                }
            }
        }
        try still(passive)
        return unsaid
    }

    /// Returns a key that identifies a request of the passive side without its sequences and numbers, which differ.
    static func key(_ request: BLIPRequest) -> String {
        switch request.profile.flatMap(Profile.init) {
        case .changes?:
            let rows = (try? ChangesRequest(request, limits: Recording.limits).rows) ?? []
            return "changes \(request.properties["collection"] ?? "") "
                + rows.map { "\($0.documentID) \($0.version.current)" }.joined(separator: ",")
        default:
            let names = ["Profile", "collection", "id", "rev", "digest", "docID"]
            return names.map { request.properties[$0] ?? "" }.joined(separator: " ")
        }
    }

    private func still(_ passive: SessionNode<PassiveSession>) throws {
        for _ in 0..<1_000_000 {
            if let frame = try endpoint.nextFrame() {
                try passive.receive(frame)
            } else if let frame = try passive.endpoint.nextFrame() {
                try receive(frame)
            } else if passive.work() || passive.wake() {
                continue
            } else {
                return
            }
        }
    }

    private func receive(_ frame: [UInt8]) throws {
        for action in try endpoint.receive(frame) {
            switch action {
            case .request(let request):
                requests.append(request)
                if request.wantsReply { waiting.append((Self.key(request), request)) }
            case .reply(let reply, let ticket):
                if let message = open.removeValue(forKey: ticket) { replies.append((message, reply)) }
            default: break
            }
        }
    }

    /// The databases of the recorded passive side, as they were when the session began.
    static func stores(_ recording: Recording) throws -> [MemoryStore] {
        let configuration = try recording.configuration()
        let stores = configuration.collections.map { _ in MemoryStore() }
        for (index, item) in try recording.checkpoints().enumerated() {
            guard case .checkpoint(let body, let revision) = item else { continue }
            let id = configuration.collections[index].checkpointID
            var object = try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any] ?? [:]
            object["rev"] = nil
            let stored = Array(try JSONSerialization.data(withJSONObject: object, options: .sortedKeys))
            stores[index].peerCheckpoints[id] = GetCheckpointReply(revision: revision ?? "", body: stored)
        }
        let sent = try recording.revisions(fromActive: false).map(\.message)
        for (collection, row, _) in try recording.announcements() {
            let revision = sent.first { $0.documentID == row.documentID && $0.version == row.version.current }
            stores[collection].seed(
                row.documentID, row.version.current, history: try revision?.treeHistory(limits: Recording.limits) ?? [],
                isDeleted: row.flags.contains(.deleted), body: revision?.body ?? Array("{}".utf8),
                sequence: row.sequence.number ?? 0)
        }
        // What it must have had to answer proposals as it did.
        for (collection, row, item) in try recording.proposals() {
            switch item {
            case .wanted, .refused:
                if let server = row.serverVersion { stores[collection].seed(row.documentID, server, sequence: 0) }
            case .known: stores[collection].seed(row.documentID, row.version.current, sequence: 0)
            case .conflict(let current):
                if let current { stores[collection].seed(row.documentID, current, sequence: 0) }
            }
        }
        for store in stores { store.attachments = recording.attachments(fromActive: false) }
        return stores
    }
}

extension Version {
    /// The current version of a vector, which Couchbase Lite puts in lists; any other version as it is.
    var current: Version { (try? VersionHistory(text))?.id.map { Version($0) } ?? self }
}

@testable import SealiteProtocol
@testable import SealiteProtocolTestSupport
import SealiteRevisions

/// One connection of a ``ScriptedGateway``.
final class GatewaySession {
    let endpoint: Endpoint
    private let gateway: ScriptedGateway
    private let limits = MessageLimits()
    private var collection: Int?
    /// The subscription, and the count of changes that it has looked at; nil without one.
    private var feed: (request: SubChangesRequest, seen: Int, hasCaughtUp: Bool)?
    private var open: (ticket: BLIPTicket, rows: [ChangesRequest.Row])?

    init(_ gateway: ScriptedGateway, _ endpoint: Endpoint) {
        (self.gateway, self.endpoint) = (gateway, endpoint)
    }

    func receive(_ frame: [UInt8]) throws {
        for action in try endpoint.receive(frame) {
            switch action {
            case .request(let request): try receive(request)
            case .reply(let reply, let ticket): try receive(reply, ticket)
            default: break
            }
        }
    }

    // MARK: - Requests

    private func receive(_ request: BLIPRequest) throws {
        switch request.profile.flatMap(Profile.init) {
        case .getCollections?: try getCollections(request)
        case .getCheckpoint?: getCheckpoint(request)
        case .setCheckpoint?: setCheckpoint(request)
        case .subChanges?:
            let wanted = try SubChangesRequest(request, limits: limits)
            feed = (wanted, position(wanted.since), false)
            endpoint.reply(to: request.number)
        case .proposeChanges?: try propose(request)
        case .rev?: try store(request)
        default:
            gateway.change { $0.unexpected.append("\(request.profile ?? "nothing")") }
            refuse(request, 409, "Use 'proposeChanges' instead")
        }
    }

    private func refuse(_ request: BLIPRequest, _ status: Int, _ reason: String) {
        endpoint.reply(to: request.number, error: BLIPErrorReply(code: status, message: reason))
    }

    private func getCollections(_ request: BLIPRequest) throws {
        let wanted = try GetCollectionsRequest(request, limits: limits)
        collection = 0
        let items = wanted.items.map { item -> GetCollectionsReply.Item in
            guard let found = gateway.read({ $0.checkpoints[item.checkpointID] }) else {
                return .withoutCheckpoint
            }
            return .checkpoint(body: found.body, revision: "0-\(found.revision)")
        }
        endpoint.reply(to: request.number, with: GetCollectionsReply(items: items).message)
    }

    private func getCheckpoint(_ request: BLIPRequest) {
        let client = request.properties["client"] ?? ""
        guard let found = gateway.read({ $0.checkpoints[client] }) else {
            return refuse(request, 404, "missing")
        }
        let reply = GetCheckpointReply(revision: "0-\(found.revision)", body: found.body)
        endpoint.reply(to: request.number, with: reply.message)
    }

    private func setCheckpoint(_ request: BLIPRequest) {
        let client = request.properties["client"] ?? ""
        let number = gateway.change { content -> Int? in
            let stored = content.checkpoints[client]?.revision
            guard (request.properties["rev"] ?? "") == (stored.map { "0-\($0)" } ?? "") else { return nil }
            content.checkpoints[client] = ((stored ?? 0) + 1, request.body)
            return (stored ?? 0) + 1
        }
        guard let number else { return refuse(request, 409, "Document update conflict") }
        endpoint.reply(to: request.number, with: BLIPOutgoing(["rev": "0-\(number)"]))
    }

    private func propose(_ request: BLIPRequest) throws {
        let message = try ProposeChangesRequest(request, limits: limits)
        let (items, namesConflicts) = gateway.change { content in
            let items = message.rows.map { content.verdict($0) }
            content.answers += items.map { "\($0.status)" }
            if let (id, json) = content.meanwhile {
                content.meanwhile = nil
                content.write(id, json)
            }
            return (items, content.namesConflicts)
        }
        let reply = ProposeChangesReply(items: items)
        endpoint.reply(
            to: request.number,
            with: reply.message(includingConflicting: message.wantsConflictingRevision && namesConflicts))
    }

    private func store(_ request: BLIPRequest) throws {
        let revision = try RevisionRequest(request, limits: limits)
        let branch = [revision.version.text] + (try revision.treeHistory(limits: limits)).map(\.text)
        let error = gateway.change { content -> BLIPErrorReply? in
            if let refusal = content.refusal?(revision.documentID) {
                content.answers.append("rev 403")
                return BLIPErrorReply(code: 403, message: refusal)
            }
            if let current = content.documents[revision.documentID], let newest = current.revisions.first {
                if newest == branch[0] { return nil }
                let isNew = current.isDeleted && branch.count == 1
                guard branch.contains(newest) || isNew else {
                    content.answers.append("rev 409")
                    return BLIPErrorReply(code: 409, message: "Document revision conflict")
                }
            }
            content.answers.append("rev 0")
            content.store(revision.documentID, branch, revision.isDeleted ? nil : revision.body)
            return nil
        }
        if let error {
            endpoint.reply(to: request.number, error: error)
        } else {
            endpoint.reply(to: request.number)
        }
    }

    // MARK: - The feed

    /// Returns the count of changes up to a sequence.
    private func position(_ since: RemoteSequence?) -> Int {
        guard let since else { return 0 }
        return gateway.read { content in
            (content.changes.firstIndex { $0.sequence == since.json } ?? -1) + 1
        }
    }

    /// Announces what has changed, unless a list waits for its answer.
    func proceed() throws {
        while open == nil, let feed {
            let (changes, documents) = gateway.read { ($0.changes, $0.documents) }
            var rows: [ChangesRequest.Row] = []
            for (index, change) in changes.enumerated() where index >= feed.seen {
                let isLast = !changes[(index + 1)...].contains { $0.id == change.id }
                let isLost = change.flags.isAccessRemoved && feed.request.wantsRevocations
                guard isLast, isLost || documents[change.id]?.isReadable == true,
                    feed.request.documentIDs?.contains(change.id) ?? true,
                    !(feed.request.isActiveOnly && change.flags.contains(.deleted))
                else { continue }
                rows.append(
                    ChangesRequest.Row(
                        sequence: try RemoteSequence(json: change.sequence, limits: limits), documentID: change.id,
                        version: Version(change.revision), flags: change.flags))
            }
            self.feed?.seen = changes.count
            if !rows.isEmpty {
                let request = ChangesRequest(rows: rows, collection: collection)
                open = (endpoint.send(request.message), rows)
                return
            }
            guard !feed.hasCaughtUp else { return }
            self.feed?.hasCaughtUp = true
            var properties: BLIPProperties = ["Profile": "changes", "Content-Type": "application/json"]
            properties["collection"] = collection.map { String($0) }
            endpoint.send(BLIPOutgoing(properties, body: Array("null".utf8), isCompressed: true, isNoReply: true))
            if !feed.request.isContinuous { self.feed = nil }
        }
    }

    private func receive(_ reply: BLIPReply, _ ticket: BLIPTicket) throws {
        guard let open, open.ticket == ticket else { return }
        self.open = nil
        let items = try ChangesReply(reply, limits: limits).items
        for (row, item) in zip(open.rows, items) {
            guard case .send(let ancestors) = item else { continue }
            send(row, Set(ancestors.map(\.text)))
        }
    }

    private func send(_ row: ChangesRequest.Row, _ known: Set<String>) {
        guard let document = gateway.read({ $0.documents[row.documentID] }), document.isReadable,
            document.revisions.first == row.version.text
        else {
            let message = NoRevisionRequest(
                documentID: row.documentID, version: row.version, sequence: row.sequence, status: 404,
                reason: "not found", collection: collection
            ).message
            endpoint.send(message)
            return
        }
        var history = Array(document.revisions.dropFirst())
        if let common = history.firstIndex(where: known.contains) { history = Array(history[...common]) }
        var message = RevisionRequest(
            documentID: row.documentID, version: row.version, sequence: row.sequence,
            history: history.joined(separator: ","), isDeleted: document.isDeleted, body: document.body,
            collection: collection
        ).message
        message.isNoReply = true
        endpoint.send(message)
    }
}

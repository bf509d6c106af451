import SealiteProtocol
import Foundation
import SealiteRevisions

/// A passive side that says what a recorded one said: to each request the reply that was recorded for its like, and its
/// own requests in the order in which they were recorded.
final class ScriptedServer {
    /// The recordings of Couchbase Lite Core against a Sync Gateway.
    static let recordings = ["sg-4.1.1", "sg-3.3.7"].flatMap { folder in
        [
            "push_first", "push_incremental", "push_nothing", "pull_first", "pull_incremental", "pull_nothing",
            "pull_empty_start", "both", "pull_channels", "pull_channels_two", "pull_channel_removal", "pull_doc_ids",
            "push_doc_ids", "conflict_push", "conflict_both", "push_forbidden", "collections_push",
            "collections_push_again", "collections_pull", "collections_both", "collections_both_again",
            "push_reset_batches", "push_large_doc", "pull_large_doc", "push_blobs", "pull_blobs", "push_blob_kept",
        ].map { "couchbase-lite-core/\(folder)/\($0)" }
    }

    /// Those with version vectors, but for conflicts that the recorded client left alone or resolved in its own way.
    static let vectorRecordings = [
        "push_first", "push_incremental", "push_nothing", "pull_first", "pull_incremental", "pull_nothing",
        "pull_empty_start", "both", "pull_channels", "pull_channels_two", "pull_channel_removal", "pull_doc_ids",
        "push_doc_ids", "conflict_push", "push_forbidden", "collections_push", "collections_push_again",
        "collections_pull", "collections_both", "collections_both_again", "push_reset_batches", "push_large_doc",
        "pull_large_doc", "push_blobs", "pull_blobs", "push_blob_kept",
    ].map { "couchbase-lite-core/sg-4.1.1-vv/\($0)" }

    /// Those with a Couchbase Lite Core as the server (Fixtures/Protocol/README.md says what is left out).
    static let passiveRecordings =
        ["passive-revtrees", "passive-vv"].flatMap { folder in
            [
                "push_first", "push_incremental", "push_nothing", "push_large_doc", "push_reset_batches", "pull_first",
                "pull_incremental", "pull_nothing", "pull_large_doc", "pull_reset_batches", "both", "blobs_pull",
                "collections_pull", "conflict_push", "blobs_push", "blobs_push_kept", "collections_push",
                "pull_doc_ids",
            ].map { "couchbase-lite-core/\(folder)/\($0)" }
        } + ["passive-revtrees", "passive-vv"].map { "couchbase-lite-core/\($0)/collections_both" }

    let endpoint: Endpoint
    private let recording: Recording
    private let isLegacy: Bool
    private var replies: [String: [RecordedMessage]] = [:]
    private var proposals: [String: ProposalDecision] = [:]
    private var lists: [RecordedMessage]
    private var checkpoints: [String: GetCheckpointReply] = [:]
    private var openList: (ticket: BLIPTicket, rows: [ChangesRequest.Row], collection: Int?)?
    private var openRevisions: Set<BLIPTicket> = []
    private var heldRevisions: [(number: UInt64, waiting: Set<BLIPTicket>, key: String)] = []
    private var attachmentBodies: [BLIPTicket: (digest: String, proof: [UInt8]?)] = [:]
    private var isSubscribed = false

    /// The messages of the active side.
    private(set) var revisions: [RevisionRequest] = []
    private(set) var answers: [String: ChangesReply.Item] = [:]
    private(set) var answeredRevisions: [String: BLIPReply] = [:]
    private(set) var savedCheckpoints: [[UInt8]] = []
    private(set) var attachments: [String: [UInt8]] = [:]
    private(set) var proofs: [String] = []
    private(set) var unexpected: [String] = []
    private(set) var profiles: [String] = []

    init(_ recording: Recording, isLegacy: Bool = false) throws {
        endpoint = try Endpoint()
        self.recording = recording
        self.isLegacy = isLegacy
        lists = recording.requests(.changes, fromActive: false)
        for message in recording.messages where message.isFromActive {
            guard let profile = message.profile, let reply = recording.messages.reply(to: message) else { continue }
            replies[Self.key(profile, message.properties), default: []].append(reply)
        }
        for (collection, row, item) in try recording.proposals() {
            proposals["\(collection) \(row.documentID) \(row.version.current) \(row.serverVersion?.text ?? "")"] = item
        }
    }

    private static func key(_ profile: Profile, _ properties: BLIPProperties) -> String {
        let names = ["collection", "id", "rev", "digest", "client"]
        return names.reduce(profile.rawValue) { key, name in
            // A checkpoint's revision differs between runs.
            let value = profile == .setCheckpoint && name == "rev" ? nil : properties[name]
            return "\(key) \(value ?? "")"
        }
    }

    /// Sends the next recorded list of changes, once the last one is done with; false if there is none.
    func proceed() throws -> Bool {
        guard isSubscribed, openList == nil, openRevisions.isEmpty, !lists.isEmpty else { return false }
        let list = lists.removeFirst()
        let changes = try ChangesRequest(list.request, limits: Recording.limits)
        let ticket = endpoint.send(
            BLIPOutgoing(list.properties, body: list.body, isCompressed: true, isNoReply: list.flags.contains(.noReply))
        )
        if !list.flags.contains(.noReply) { openList = (ticket, changes.rows, changes.collection) }
        return true
    }

    func receive(_ frame: [UInt8]) throws {
        for action in try endpoint.receive(frame) {
            switch action {
            case .request(let request): try receive(request)
            case .reply(let reply, let ticket): try receive(reply, ticket)
            default: unexpected.append("\(action)")
            }
        }
    }

    private func receive(_ request: BLIPRequest) throws {
        profiles.append(request.profile ?? "")
        switch request.profile.flatMap(Profile.init) {
        case .getCollections? where isLegacy:
            endpoint.reply(
                to: request.number,
                error: BLIPErrorReply(domain: "BLIP", code: 404, message: "No handler for BLIP request"))
        case .subChanges?:
            isSubscribed = true
            play(request, .subChanges)
        case .getCheckpoint?: getCheckpoint(request)
        case .setCheckpoint?: setCheckpoint(request)
        case .proposeChanges?: try propose(request)
        case .rev?: try revision(request)
        case .getCollections?: play(request, .getCollections)
        case .getAttachment?: play(request, .getAttachment)
        default: unexpected.append("\(request.properties)")
        }
    }

    /// Gives the recorded reply to a request; the last one again if it comes more often than it was recorded.
    private func play(_ request: BLIPRequest, _ profile: Profile) {
        let key = Self.key(profile, request.properties)
        guard let recorded = replies[key]?.first else {
            unexpected.append(key)
            endpoint.reply(to: request.number, error: BLIPErrorReply(code: 500, message: "not recorded"))
            return
        }
        if (replies[key]?.count ?? 0) > 1 { replies[key]?.removeFirst() }
        give(recorded, to: request.number)
    }

    private func give(_ recorded: RecordedMessage, to number: UInt64) {
        if let error = recorded.reply.error {
            endpoint.reply(to: number, error: error)
        } else {
            let isCompressed = recorded.flags.contains(.compressed)
            endpoint.reply(
                to: number, with: BLIPOutgoing(recorded.properties, body: recorded.body, isCompressed: isCompressed))
        }
    }

    // Checkpoints are stored as Sync Gateway does it, since their times differ from the recorded ones.
    func stored(_ client: String) -> GetCheckpointReply? {
        if let saved = checkpoints[client] { return saved }
        let items = (try? recording.checkpoints()) ?? []
        let configuration = try? recording.configuration()
        guard let index = configuration?.collections.firstIndex(where: { $0.checkpointID == client }),
            items.indices.contains(index), case .checkpoint(let body, let revision) = items[index]
        else { return nil }
        return GetCheckpointReply(revision: revision ?? "", body: body)
    }

    private func getCheckpoint(_ request: BLIPRequest) {
        if let found = stored(request.properties["client"] ?? "") {
            endpoint.reply(to: request.number, with: found.message)
        } else {
            endpoint.reply(to: request.number, error: BLIPErrorReply(code: 404, message: "missing"))
        }
    }

    private func setCheckpoint(_ request: BLIPRequest) {
        let client = request.properties["client"] ?? ""
        let revision = stored(client)?.revision ?? ""
        guard revision == request.properties["rev"] ?? "" else {
            endpoint.reply(to: request.number, error: BLIPErrorReply(code: 409, message: "Document update conflict"))
            return
        }
        let next = "0-\((Int(revision.dropFirst(2)) ?? 0) + 1)"
        checkpoints[client] = GetCheckpointReply(revision: next, body: request.body)
        savedCheckpoints.append(request.body)
        endpoint.reply(to: request.number, with: BLIPOutgoing(["rev": next]))
    }

    private func propose(_ request: BLIPRequest) throws {
        let message = try ProposeChangesRequest(request, limits: Recording.limits)
        let items = message.rows.map { row -> ProposalDecision in
            let key =
                "\(message.collection ?? 0) \(row.documentID) \(row.version.current) \(row.serverVersion?.text ?? "")"
            if proposals[key] == nil { unexpected.append("proposal \(key)") }
            return proposals[key] ?? .refused(status: 500)
        }
        var reply = ProposeChangesReply(items: items)
        reply.understandsBlobs = recording.messages.contains { !$0.isFromActive && $0.properties["blobs"] == "true" }
        endpoint.reply(to: request.number, with: reply.message(includingConflicting: true))
    }

    /// A revision is answered once the attachments that the recorded server asked for have come.
    private func revision(_ request: BLIPRequest) throws {
        let message = try RevisionRequest(request, limits: Recording.limits)
        revisions.append(message)
        let key = Self.key(.rev, request.properties)
        var waiting: Set<BLIPTicket> = []
        for asked in recording.requests(.getAttachment, fromActive: false)
            + recording.requests(.proveAttachment, fromActive: false)
        {
            let digest = asked.properties["digest"] ?? ""
            guard asked.properties["docID"] ?? message.documentID == message.documentID,
                String(decoding: message.body, as: UTF8.self).replacingOccurrences(of: "\\/", with: "/").contains(
                    digest)
            else { continue }
            let ticket = endpoint.send(BLIPOutgoing(asked.properties, body: asked.body))
            let isProof = asked.profile == .proveAttachment
            attachmentBodies[ticket] = (digest, isProof ? recording.messages.reply(to: asked)?.body : nil)
            waiting.insert(ticket)
        }
        if waiting.isEmpty { play(request, .rev) } else { heldRevisions.append((request.number, waiting, key)) }
    }

    private func receive(_ reply: BLIPReply, _ ticket: BLIPTicket) throws {
        if let (digest, proof) = attachmentBodies.removeValue(forKey: ticket) {
            if let proof {
                proofs.append(proof == reply.body ? "right" : "wrong")
            } else {
                attachments[digest] = reply.body
            }
            for index in heldRevisions.indices { heldRevisions[index].waiting.remove(ticket) }
            let done = heldRevisions.filter(\.waiting.isEmpty)
            heldRevisions.removeAll { $0.waiting.isEmpty }
            for held in done {
                guard let recorded = replies[held.key]?.first else {
                    unexpected.append(held.key)
                    continue
                }
                give(recorded, to: held.number)
            }
        } else if openRevisions.remove(ticket) != nil {
            answeredRevisions["\(ticket.value)"] = reply
        } else if let list = openList, list.ticket == ticket {
            openList = nil
            try answered(list.rows, list.collection, ChangesReply(reply, limits: Recording.limits))
        }
    }

    /// Sends the revision that the client pushed since its document was announced, as a server does with
    /// `sendReplacementRevs`; false if the client pushed none.
    private func sendReplacement(of row: ChangesRequest.Row, _ collection: Int?) -> Bool {
        guard let pushed = revisions.last(where: { $0.documentID == row.documentID && $0.collection == collection })
        else { return false }
        let properties: BLIPProperties = [
            "Profile": Profile.rev.rawValue, "collection": "\(collection ?? 0)", "id": row.documentID,
            "rev": pushed.version.text, "history": pushed.history, "sequence": row.sequence.json,
            "replacedRev": row.version.current.text,
        ]
        openRevisions.insert(endpoint.send(BLIPOutgoing(properties, body: pushed.body, isCompressed: true)))
        return true
    }

    private func answered(
        _ rows: [ChangesRequest.Row], _ collection: Int?, _ reply: ChangesReply
    ) throws {
        for (index, row) in rows.enumerated() {
            let item = index < reply.items.count ? reply.items[index] : .skip
            answers["\(row.documentID) \(row.sequence.json)"] = item
            guard case .send = item else { continue }
            let sent = (recording.requests(.rev, fromActive: false) + recording.requests(.norev, fromActive: false))
                .first {
                    $0.properties["id"] == row.documentID && $0.properties["sequence"] == row.sequence.json
                        && ($0.properties["replacedRev"] ?? $0.properties["rev"]) == row.version.current.text
                }
            guard let sent else {
                if sendReplacement(of: row, collection) { continue }
                unexpected.append("wanted \(row.documentID) \(row.sequence.json)")
                continue
            }
            let isNoReply = sent.flags.contains(.noReply)
            let ticket = endpoint.send(
                BLIPOutgoing(sent.properties, body: sent.body, isCompressed: true, isNoReply: isNoReply))
            if !isNoReply { openRevisions.insert(ticket) }
        }
    }
}

/// Runs an active session against a scripted server until the session closes, or all is still.
enum ScriptedRun {
    static func run(_ active: SessionNode<ActiveSession>, _ server: ScriptedServer) throws {
        for _ in 0..<1_000_000 {
            if active.closed != nil { return }
            if let frame = try active.endpoint.nextFrame() {
                try server.receive(frame)
            } else if let frame = try server.endpoint.nextFrame() {
                try active.receive(frame)
            } else if try active.work() || server.proceed() || active.write() || active.wake() {
                continue
            } else {
                return
            }
        }
        throw TranscriptError.malformed(0)
    }

    /// The databases of the recorded active side, as they were when the session began.
    static func stores(_ recording: Recording) throws -> [MemoryStore] {
        let configuration = try recording.configuration()
        let stores = configuration.collections.map { _ in MemoryStore() }
        for (index, item) in try recording.checkpoints().enumerated() {
            guard case .checkpoint(let body, _) = item else { continue }
            stores[index].checkpoints[configuration.collections[index].checkpointID] = body
        }
        let revisions = try recording.revisions(fromActive: true).map(\.message)
        var lastSequence = revisions.compactMap { $0.sequence?.number }.max() ?? 100
        for (collection, row, _) in try recording.proposals() {
            let store = stores[collection]
            let sent = revisions.first { $0.documentID == row.documentID && $0.version == row.version.current }
            lastSequence += sent == nil ? 1 : 0
            let history = try sent?.treeHistory(limits: Recording.limits) ?? row.serverVersion.map { [$0] } ?? []
            store.seed(
                row.documentID, row.version.current, history: history, isDeleted: sent?.isDeleted ?? false,
                body: MemoryAttachments.stripped(from: sent?.body ?? Array("{}".utf8)),
                sequence: sent?.sequence?.number ?? lastSequence)
            store.documents[row.documentID]?.remote = row.serverVersion
        }
        for store in stores { store.attachments = recording.attachments(fromActive: true) }
        // What the recorded side already had of the announced documents.
        for (collection, row, item) in try recording.announcements() where !row.flags.isAccessRemoved {
            let known: [Version]
            if case .send(let ancestors) = item { known = ancestors } else { known = [row.version.current] }
            guard let first = known.first, stores[collection].documents[row.documentID] == nil else { continue }
            stores[collection].seed(row.documentID, first, history: Array(known.dropFirst()), sequence: 0)
            stores[collection].documents[row.documentID]?.remote = first
        }
        return stores
    }
}

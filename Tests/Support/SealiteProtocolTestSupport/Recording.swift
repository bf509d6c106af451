import SealiteProtocol
import Foundation
import SealiteRevisions

/// One connection of a recorded exchange, with its requests read into their types.
struct Recording {
    let messages: [RecordedMessage]
    static let limits = MessageLimits()

    init(_ name: String, connection: Int = 1) throws {
        messages = try Transcript.named(name).messages().filter { $0.connection == connection }
    }

    func requests(_ profile: Profile, fromActive: Bool) -> [RecordedMessage] {
        messages.filter { $0.profile == profile && $0.isFromActive == fromActive }
    }

    /// The revisions that one side sent, each with its reply if one was recorded.
    func revisions(fromActive: Bool) throws -> [(message: RevisionRequest, reply: RecordedMessage?)] {
        try requests(.rev, fromActive: fromActive).map {
            (try RevisionRequest($0.request, limits: Self.limits), messages.reply(to: $0))
        }
    }

    /// Returns the proposed rows, with their answers.
    func proposals() throws -> [(collection: Int, row: ProposeChangesRequest.Row, item: ProposalDecision)] {
        try requests(.proposeChanges, fromActive: true).flatMap { message in
            let request = try ProposeChangesRequest(message.request, limits: Self.limits)
            let items = try messages.reply(to: message).map {
                try ProposeChangesReply($0.reply, limits: Self.limits).items
            }
            return request.rows.enumerated().map { index, row in
                (request.collection ?? 0, row, items.flatMap { index < $0.count ? $0[index] : nil } ?? .wanted)
            }
        }
    }

    /// Returns the announced rows, with their answers.
    func announcements() throws -> [(collection: Int, row: ChangesRequest.Row, item: ChangesReply.Item)] {
        try requests(.changes, fromActive: false).flatMap { message in
            let request = try ChangesRequest(message.request, limits: Self.limits)
            let items = try messages.reply(to: message).map { try ChangesReply($0.reply, limits: Self.limits).items }
            return request.rows.enumerated().map { index, row in
                (request.collection ?? 0, row, items.flatMap { index < $0.count ? $0[index] : nil } ?? .skip)
            }
        }
    }

    /// The attachments whose content one side sent.
    func attachments(fromActive: Bool) -> [BlobDigest: [UInt8]] {
        var contents: [BlobDigest: [UInt8]] = [:]
        for request in requests(.getAttachment, fromActive: !fromActive) {
            guard let digest = request.properties["digest"].flatMap({ BlobDigest($0) }),
                let reply = messages.reply(to: request), reply.type == .reply
            else { continue }
            contents[digest] = reply.body
        }
        return contents
    }

    /// Returns the configuration that the active side's requests imply.
    func configuration() throws -> SessionConfiguration {
        let collections: [GetCollectionsRequest.Item]
        if let request = requests(.getCollections, fromActive: true).first {
            collections = try GetCollectionsRequest(request.request, limits: Self.limits).items
        } else {
            collections = [GetCollectionsRequest.Item(path: "_default", checkpointID: "cp-legacy")]
        }
        return SessionConfiguration(
            collections: try collections.enumerated().map { index, item in
                let pull = try requests(.subChanges, fromActive: true)
                    .map { try SubChangesRequest($0.request, limits: Self.limits) }
                    .first { ($0.collection ?? 0) == index }
                let isPush = requests(.proposeChanges, fromActive: true).contains {
                    Int($0.properties["collection"] ?? "0") == index
                }
                return SessionConfiguration.Collection(
                    path: item.path, checkpointID: item.checkpointID, isPush: isPush || pull == nil,
                    isPull: pull != nil, documentIDs: pull?.documentIDs, channels: pull?.channels,
                    isEmpty: pull?.isActiveOnly ?? false)
            },
            isContinuous: try requests(.subChanges, fromActive: true).contains {
                try SubChangesRequest($0.request, limits: Self.limits).isContinuous
            })
    }

    /// The checkpoints that the passive side had when the session began.
    func checkpoints() throws -> [GetCollectionsReply.Item] {
        guard let request = requests(.getCollections, fromActive: true).first,
            let reply = messages.reply(to: request), reply.type == .reply
        else { return [] }
        let count = try GetCollectionsRequest(request.request, limits: Self.limits).items.count
        return try GetCollectionsReply(reply.reply, count: count, limits: Self.limits).items
    }

    static func isSameJSON(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        let objects = [left, right].map { try? JSONSerialization.jsonObject(with: Data($0)) as? NSDictionary }
        return left == right || objects[0] != nil && objects[0] == objects[1]
    }
}

extension MemoryStore {
    /// Adds a revision with a sequence of the recording's.
    func seed(
        _ id: String, _ revision: Version, history: [Version] = [], isDeleted: Bool = false,
        body: [UInt8] = Array("{}".utf8), sequence: UInt64
    ) {
        guard documents[id]?.revisions[revision] == nil else { return }
        put(id, revision, history: history, isDeleted: isDeleted, body: body)
        documents[id]?.sequence = sequence
        lastSequence = max(sequence, documents.values.map(\.sequence).max() ?? 0)
    }
}

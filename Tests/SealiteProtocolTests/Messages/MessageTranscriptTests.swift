@testable import SealiteProtocolTestSupport
import Testing

@testable import SealiteProtocol
import SealiteRevisions

@Suite("messages of recorded exchanges")
struct MessageTranscriptTests {
    static let limits = MessageLimits()

    @Test("every recorded request reads into its type and is sent with the same meaning", arguments: Transcript.all)
    func requests(_ transcript: Transcript) throws {
        let messages = try transcript.messages()
        for message in messages where message.profile != nil {
            do {
                let outgoing = try Self.reencode(message)
                guard let outgoing else { continue }
                let again = BLIPRequest(number: 1, properties: outgoing.properties, body: outgoing.body)
                let twice = try Self.reencode(again, profile: message.profile)
                #expect(twice == outgoing, "\(message.properties)")
                // A property that was sent and is lost in the type would change the meaning.
                for pair in message.properties.pairs
                where !pair.value.isEmpty && Self.isKept(pair.name, message.profile) {
                    let isThere = outgoing.properties[pair.name] != nil
                    #expect(isThere, "\(pair.name) of \(message.properties)")
                }
            } catch {
                // Refused by the real peer as well, or answered by one that does not look.
                let reply = messages.reply(to: message)
                #expect(reply?.type == .error || Self.isProbe(transcript), "\(message.properties): \(error)")
            }
        }
    }

    @Test("every recorded answer reads into its type", arguments: Transcript.all)
    func replies(_ transcript: Transcript) throws {
        let messages = try transcript.messages()
        for message in messages {
            guard let profile = message.profile, let reply = messages.reply(to: message), reply.type == .reply else {
                continue
            }
            do {
                switch profile {
                case .changes: _ = try ChangesReply(reply.reply, limits: Self.limits)
                case .proposeChanges:
                    let items = try ProposeChangesReply(reply.reply, limits: Self.limits).items
                    let rows = try ProposeChangesRequest(message.request, limits: Self.limits).rows
                    #expect(items.count <= rows.count)
                case .getCollections:
                    let count = try GetCollectionsRequest(message.request, limits: Self.limits).items.count
                    #expect(
                        try GetCollectionsReply(reply.reply, count: count, limits: Self.limits).items.count == count)
                default: break
                }
            } catch {
                #expect(Self.isProbe(transcript), "\(message.properties): \(error)")
            }
        }
    }

    /// The probe sends what no client would, to see what the peer does.
    static func isProbe(_ transcript: Transcript) -> Bool {
        !transcript.name.hasPrefix("couchbase-lite-core") || transcript.name.contains("/probe-")
    }

    static func isKept(_ name: String, _ profile: Profile?) -> Bool {
        switch name {
        case "Content-Type", "conflictIncludesRev", "rev", "error", "requestPlus", "future", "uuid": false
        case "deleted_branch", "noconflicts", "deleted", "continuous", "activeOnly", "revocations": false
        case "channels", "filter", "sendReplacementRevs", "compress", "since", "batch", "ignoreNoConflicts": false
        case "docID": profile == .getAttachment
        default: true
        }
    }

    static func reencode(_ message: RecordedMessage) throws -> BLIPOutgoing? {
        try reencode(message.request, profile: message.profile)
    }

    static func reencode(_ request: BLIPRequest, profile: Profile?) throws -> BLIPOutgoing? {
        switch profile {
        case .getCollections: try GetCollectionsRequest(request, limits: limits).message
        case .getCheckpoint: try GetCheckpointRequest(request).message
        case .setCheckpoint: try SetCheckpointRequest(request, limits: limits).message
        case .subChanges: try SubChangesRequest(request, limits: limits).message
        case .changes: try ChangesRequest(request, limits: limits).message
        case .proposeChanges: try ProposeChangesRequest(request, limits: limits).message
        case .rev: try RevisionRequest(request, limits: limits).message
        case .norev: try NoRevisionRequest(request, limits: limits).message
        case .getAttachment: try GetAttachmentRequest(request).message
        case .proveAttachment: try ProveAttachmentRequest(request).message
        case .unsubChanges, .ping, nil: nil
        }
    }
}

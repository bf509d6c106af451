@testable import SealiteProtocol

/// The replication protocol's messages: every request and reply of a peer, by the type that reads it.
///
/// The first byte says which; then follow encoded properties, and the body.
final class MessagesFuzz: FuzzTarget {
    init() throws {}

    /// The requests in the order of their profiles, and then the replies.
    static let replyKinds: [Profile] = [.getCollections, .getCheckpoint, .changes, .proposeChanges]

    func run(_ input: [UInt8]) throws(BrokenProperty) {
        guard let first = input.first else { return }
        var message = BLIPIncoming(flags: BLIPFlags(.request), isStreamed: false)
        let bytes = Array(input.dropFirst())
        guard (try? message.append(bytes, wireByteCount: 0, propertiesLimit: 102_400)) != nil,
            let properties = message.properties
        else { return }
        let index = Int(first) % (Profile.allCases.count + Self.replyKinds.count)
        // The second is small, so that each limit is met.
        for limits in [MessageLimits(), Self.small] {
            if index < Profile.allCases.count {
                let request = BLIPRequest(number: 1, properties: properties, body: message.buffer)
                try check(request, Profile.allCases[index], limits)
            } else {
                let reply = BLIPReply(properties: properties, body: message.buffer)
                try check(reply, Self.replyKinds[index - Profile.allCases.count], limits)
            }
        }
    }

    private static var small: MessageLimits {
        var limits = MessageLimits()
        limits.rowCount = 3
        limits.collectionCount = 2
        limits.documentIDByteCount = 8
        limits.versionByteCount = 40
        limits.sequenceByteCount = 6
        limits.historyCount = 2
        limits.checkpointByteCount = 32
        return limits
    }

    /// Checks that a parsed message, when it is written, parses to the same message again.
    private func check(_ request: BLIPRequest, _ profile: Profile, _ limits: MessageLimits) throws(BrokenProperty) {
        guard let written = Self.rewritten(request, profile, limits) else { return }
        let again = BLIPRequest(number: 1, properties: written.properties, body: written.body)
        // Escapes are written longer than a character that needs none: a list at a limit may then be over it.
        guard let twice = Self.rewritten(again, profile, MessageLimits()) else {
            throw BrokenProperty("a \(profile.rawValue) that was read can't be read again")
        }
        try BrokenProperty.unless(twice == written, "a \(profile.rawValue) reads as another when it is written")
    }

    private static func rewritten(_ request: BLIPRequest, _ profile: Profile, _ limits: MessageLimits) -> BLIPOutgoing?
    {
        switch profile {
        case .getCollections: try? GetCollectionsRequest(request, limits: limits).message
        case .getCheckpoint: try? GetCheckpointRequest(request).message
        case .setCheckpoint: try? SetCheckpointRequest(request, limits: limits).message
        case .subChanges: try? SubChangesRequest(request, limits: limits).message
        case .changes: try? ChangesRequest(request, limits: limits).message
        case .proposeChanges: try? ProposeChangesRequest(request, limits: limits).message
        case .rev: Self.revision(request, limits)
        case .norev: try? NoRevisionRequest(request, limits: limits).message
        case .getAttachment: try? GetAttachmentRequest(request).message
        case .proveAttachment: try? ProveAttachmentRequest(request).message
        case .unsubChanges, .ping: nil
        }
    }

    private static func revision(_ request: BLIPRequest, _ limits: MessageLimits) -> BLIPOutgoing? {
        guard let revision = try? RevisionRequest(request, limits: limits) else { return nil }
        _ = try? revision.treeHistory(limits: limits)
        return revision.message
    }

    private func check(_ reply: BLIPReply, _ profile: Profile, _ limits: MessageLimits) throws(BrokenProperty) {
        switch profile {
        case .getCollections:
            guard let read = try? GetCollectionsReply(reply, count: 2, limits: limits) else { return }
            try BrokenProperty.unless(
                read.items.count == 2, "two collections were asked for, and \(read.items.count) come")
        case .getCheckpoint: _ = GetCheckpointReply(reply).message
        case .changes:
            guard let read = try? ChangesReply(reply, limits: limits) else { return }
            let written = read.message
            let again = BLIPReply(properties: written.properties, body: written.body)
            let twice = (try? ChangesReply(again, limits: limits))?.message
            try BrokenProperty.unless(twice == written, "an answer to changes reads as another when it is written")
        default:
            guard let read = try? ProposeChangesReply(reply, limits: limits) else { return }
            try BrokenProperty.unless(read.items.count <= limits.rowCount, "an answer has too many rows")
        }
    }
}

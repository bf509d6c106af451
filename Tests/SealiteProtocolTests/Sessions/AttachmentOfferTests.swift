@testable import SealiteProtocolTestSupport
@testable import SealiteProtocol
import Testing
import SealiteRevisions

@Suite("attachments that a peer may fetch")
struct AttachmentOfferTests {
    private let content = Array("Hello, blob!".utf8)
    private let nonce = Array(0...0x13) as [UInt8]

    /// A store with one document, which refers to one of two attachments.
    private func store() throws -> (store: MemoryStore, named: BlobDigest, other: BlobDigest) {
        let store = MemoryStore()
        let named = try store.saveAttachment(content)
        let other = try store.saveAttachment(Array("another document's".utf8))
        store.save("a", #"{"p":{"@type":"blob","digest":"\#(named)","length":12}}"#)
        return (store, named, other)
    }

    /// Passes BLIP frames both ways until all is still, and returns what the peer received.
    @discardableResult
    private func run<Session>(
        _ node: SessionNode<Session>, _ peer: Endpoint, _ answer: (BLIPRequest) -> Bool = { _ in false }
    ) throws -> [BLIPAction] {
        var received: [BLIPAction] = []
        while true {
            if let frame = try node.endpoint.nextFrame() {
                for action in try peer.receive(frame) {
                    received.append(action)
                    guard case .request(let request) = action, !answer(request) else { continue }
                    let body = request.profile == "getCollections" ? "[{}]" : ""
                    peer.reply(to: request.number, with: BLIPOutgoing(["rev": "0-1"], body: Array(body.utf8)))
                }
            } else if node.closed == nil, let frame = try peer.nextFrame() {
                try node.receive(frame)
            } else if node.closed != nil || !node.work() && !node.wake() {
                return received
            }
        }
    }

    /// Asks for an attachment or its proof.
    private func ask<Session>(
        _ node: SessionNode<Session>, _ peer: Endpoint, _ digest: BlobDigest, isProof: Bool = false,
        collection: Int? = nil
    ) throws -> BLIPReply? {
        var properties: BLIPProperties = [
            "Profile": isProof ? "proveAttachment" : "getAttachment", "digest": digest.description, "docID": "a",
        ]
        properties["collection"] = collection.map { String($0) }
        peer.send(BLIPOutgoing(properties, body: isProof ? nonce : []))
        // A revision of the other side stays without an answer meanwhile.
        let received = try run(node, peer) { $0.profile == "rev" }
        return received.compactMap { if case .reply(let reply, _) = $0 { reply } else { nil } }.last
    }

    private func isRefused(_ reply: BLIPReply?) -> Bool { reply?.error == .noAttachment }

    /// Checks what a peer may and may not do after it was sent a revision.
    private func check<Session>(
        _ node: SessionNode<Session>, _ peer: Endpoint, _ named: BlobDigest, _ other: BlobDigest,
        collection: Int?
    ) throws {
        #expect(try ask(node, peer, named, collection: collection)?.body == content)
        let proof = try ask(node, peer, named, isProof: true, collection: collection)
        #expect(proof?.body == Array("sha1-9Z8YoI6cEYJ3rZlV3gTCG+NAG90=".utf8))
        for isProof in [false, true] {
            #expect(try isRefused(ask(node, peer, other, isProof: isProof, collection: collection)))
        }
    }

    @Test("a server gives and proves those of revisions that it has sent in the session")
    func passive() throws {
        let (store, named, other) = try store()
        let passive = try SessionNode(PassiveSession(.init(collections: ["_default"])), [store])
        let peer = try Endpoint()
        #expect(try isRefused(ask(passive, peer, named)))
        peer.send(BLIPOutgoing(["Profile": "subChanges", "continuous": "true"]))
        // Announced is not sent.
        try run(passive, peer) { $0.profile == "changes" }
        #expect(try isRefused(ask(passive, peer, named)))
        let second = try Endpoint()
        let again = try SessionNode(PassiveSession(.init(collections: ["_default"])), [store])
        second.send(BLIPOutgoing(["Profile": "subChanges", "continuous": "true"]))
        try run(again, second) { request in
            guard request.profile == "changes", request.wantsReply else { return request.profile == "rev" }
            second.reply(to: request.number, with: BLIPOutgoing(body: Array("[[]]".utf8)))
            return true
        }
        try check(again, second, named, other, collection: nil)
        // The other connection was sent nothing.
        #expect(try isRefused(ask(passive, peer, named)))
    }

    @Test(
        "a client that only pulls gives none, one that pushes those of revisions that it has sent",
        arguments: [true, false])
    func active(isPush: Bool) throws {
        let (store, named, other) = try store()
        var configuration = SessionConfiguration.one(push: isPush, pull: !isPush)
        configuration.isContinuous = true
        let active = try SessionNode(ActiveSession(configuration), [store])
        let peer = try Endpoint()
        active.start()
        try run(active, peer) { $0.profile == "proposeChanges" || $0.profile == "rev" }
        #expect(try isRefused(ask(active, peer, named, collection: 0)))
        guard isPush else { return }
        let pushing = try SessionNode(ActiveSession(configuration), [store])
        let wanting = try Endpoint()
        pushing.start()
        try run(pushing, wanting) { $0.profile == "rev" }
        try check(pushing, wanting, named, other, collection: 0)
    }

    @Test("attachments of one collection are not given in the name of another")
    func collections() throws {
        var offers = AttachmentOffers()
        let digest = try #require(BlobDigest("sha1-ArH2IhJgRp/90GRqSAdAfa750BE="))
        offers.add([digest], collection: 1)
        #expect(offers.contains(digest, collection: 1) && !offers.contains(digest, collection: 0))
        #expect(offers.takeProof(digest, collection: 1) && !offers.takeProof(digest, collection: 0))
    }

    private func digest(_ number: Int) throws -> BlobDigest {
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) } + [UInt8](repeating: 0, count: 12)
        return try #require(BlobDigest("sha1-" + bytes.base64))
    }

    @Test("a session proves as often as it has sent references, and some times more, but not for ever")
    func proofs() throws {
        var offers = AttachmentOffers()
        func proves(_ digest: BlobDigest, in collection: Int = 0) -> Bool {
            offers.takeProof(digest, collection: collection)
        }
        let (often, once) = (try digest(1), try digest(2))
        offers.add([BlobDigest](repeating: often, count: 10_000) + [once], collection: 0)
        let limit = 10_001 + AttachmentOffers.spareProofs
        for _ in 0..<(limit - 1) { #expect(proves(often)) }
        // What was never sent, or elsewhere, costs nothing.
        #expect(try !proves(digest(3)) && !proves(often, in: 1))
        #expect(proves(once))
        #expect(!proves(once) && !proves(often))
        #expect(offers.contains(often, collection: 0))
        offers.add([once], collection: 0)
        #expect(proves(often) && !proves(once))
    }

    @Test("a session remembers a bounded number of them, the latest")
    func bound() throws {
        var offers = AttachmentOffers()
        let count = AttachmentOffers.limit
        for start in stride(from: 0, to: count * 3, by: 1_000) {
            offers.add(try (start..<(start + 1_000)).map(digest), collection: 0)
        }
        #expect(try !offers.contains(digest(0), collection: 0))
        #expect(try offers.contains(digest(count * 3 - 1), collection: 0))
        #expect(try offers.contains(digest(count * 2), collection: 0))
        #expect((count * 80...count * 160).contains(offers.heldByteCount) && count == 16_384)
        // Those of one revision stay together.
        offers.add(try (0..<(count * 2)).map(digest), collection: 1)
        #expect(try offers.contains(digest(0), collection: 1) && offers.contains(digest(count * 2 - 1), collection: 1))
    }
}

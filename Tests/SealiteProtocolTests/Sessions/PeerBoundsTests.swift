@testable import SealiteProtocolTestSupport
@testable import SealiteProtocol
import Testing
import SealiteRevisions

@Suite("what a peer may make a passive session hold")
struct PeerBoundsTests {
    private func node(
        _ store: MemoryStore = MemoryStore(), deltas: Bool = true, _ change: (inout SessionLimits) -> Void = { _ in }
    ) throws -> SessionNode<PassiveSession> {
        var limits = SessionLimits()
        change(&limits)
        let configuration = PassiveSession.Configuration(
            collections: ["_default"], usesDeltas: deltas, limits: limits)
        return try SessionNode(PassiveSession(configuration), [store])
    }

    /// Passes BLIP frames both ways until all is still, and returns what the peer received.
    @discardableResult
    private func run(
        _ node: SessionNode<PassiveSession>, _ peer: Endpoint, _ answer: (BLIPRequest) -> BLIPOutgoing? = { _ in nil }
    ) throws -> [BLIPAction] {
        var received: [BLIPAction] = []
        while true {
            if let frame = try node.endpoint.nextFrame() {
                for action in try peer.receive(frame) {
                    received.append(action)
                    guard case .request(let request) = action, let reply = answer(request) else { continue }
                    peer.reply(to: request.number, with: reply)
                }
            } else if node.closed == nil, let frame = try peer.nextFrame() {
                try node.receive(frame)
            } else if node.closed != nil || !node.work() && !node.wake() {
                return received
            }
        }
    }

    private func codes(_ actions: [BLIPAction]) -> [Int] {
        actions.compactMap { if case .reply(let reply, _) = $0 { reply.error?.code ?? 0 } else { nil } }
    }

    private func fetches(_ actions: [BLIPAction]) -> [BLIPRequest] {
        actions.compactMap { action in
            if case .request(let request) = action, request.profile == "getAttachment" { request } else { nil }
        }
    }

    private func revision(
        _ id: String, _ contents: [[UInt8]] = [], isNoReply: Bool = false, more: BLIPProperties = [:]
    ) -> BLIPOutgoing {
        var properties: BLIPProperties = ["Profile": "rev", "id": id, "rev": "1-aa"]
        for pair in more.pairs { properties[pair.name] = pair.value }
        let blobs = contents.enumerated().map { index, content in
            #""b\#(index)":{"@type":"blob","digest":"sha1-\#(TestDigest.sha1(content).base64)","length":\#(content.count)}"#
        }
        return BLIPOutgoing(
            properties, body: Array("{\(blobs.joined(separator: ","))}".utf8), isNoReply: isNoReply)
    }

    @Test(
        "revisions that want no answer are counted until they are stored, with their properties",
        arguments: [true, false])
    func silent(isNoReply: Bool) throws {
        let node = try node()
        node.writesLate = true
        let peer = try Endpoint()
        for number in 0..<300 {
            peer.send(
                revision(
                    "\(number)", isNoReply: isNoReply, more: ["history": String(repeating: "1-bb,", count: 50) + "1-b"])
            )
        }
        try run(node, peer)
        let held = node.session.received
        // 200 are being inserted.
        #expect(held.queued > 300 * 750 && held.backlog > 100 * 750 && held.backlog < held.queued / 2, "\(held)")
        let unanswered =
            node.endpoint.multiplexer.unansweredByteCount + node.endpoint.multiplexer.unansweredRequestCount * 512
        // Each byte is counted, and once.
        #expect(unanswered + held.uncounted == held.queued)
        #expect(unanswered == 0 || !isNoReply)
        while node.write() { try run(node, peer) }
        #expect(node.session.received == ReceivedByteCounts())
    }

    @Test("without deltas one is refused before it waits for the database")
    func delta() throws {
        let node = try node(deltas: false)
        node.writesLate = true
        let peer = try Endpoint()
        peer.send(revision("a", more: ["deltaSrc": "1-bb"]))
        #expect(codes(try run(node, peer)) == [422])
        #expect(node.session.received == ReceivedByteCounts() && !node.write())
    }

    @Test(
        "what waits for attachments isn't counted where reading pauses, and only that is left out",
        arguments: [true, false])
    func waiting(isNoReply: Bool) throws {
        let store = MemoryStore()
        let node = try node(store)
        let peer = try Endpoint()
        let content = Array("Hello, blob!".utf8)
        peer.send(revision("silent", [content, [1]], isNoReply: true))
        if !isNoReply { peer.send(revision("loud", [content, [2]])) }
        let asked = fetches(try run(node, peer))
        let held = node.session.received
        let multiplexer = (
            node.endpoint.multiplexer.unansweredByteCount, node.endpoint.multiplexer.unansweredRequestCount
        )
        #expect(multiplexer.1 == (isNoReply ? 0 : 1) && held.queued == 0 && held.backlog == 0)
        #expect(held.incompleteUnanswered == multiplexer.0 + 512 * multiplexer.1)
        #expect(held.uncounted == held.incomplete - held.incompleteUnanswered && held.uncounted > 512, "\(held)")
        let contents = [content, [1], [2]]
        for request in asked {
            let asked = contents.first { "sha1-" + TestDigest.sha1($0).base64 == request.properties["digest"] }
            peer.reply(to: request.number, with: BLIPOutgoing(body: asked ?? []))
        }
        #expect(codes(try run(node, peer)) == (isNoReply ? [] : [0]))
        let given = isNoReply ? [content, [1]] : contents
        #expect(try node.session.received == remembered(given) && store.attachments.count == given.count)
    }

    @Test(
        "above what may wait for attachments revisions are refused for now, those of one batch too, in whatever collections"
    )
    func waitingBound() throws {
        let stores = [MemoryStore(), MemoryStore()]
        let node = try SessionNode(PassiveSession(.init(collections: ["_default", "b"])), stores)
        node.session.limitAttachmentWait(to: 1_500)
        let peer = try Endpoint()
        let names = #"{"checkpoint_ids":["a","b"],"collections":["_default","b"]}"#
        peer.send(BLIPOutgoing(["Profile": "getCollections"], body: Array(names.utf8)))
        for number in 0..<4 { peer.send(revision("\(number)", [[UInt8(number)]], more: ["collection": "0"])) }
        #expect(codes(try run(node, peer)) == [0, 503, 503])
        peer.send(revision("other", [[9]], more: ["collection": "1"]))
        #expect(codes(try run(node, peer)) == [503])
        node.session.limitAttachmentWait(to: 10_000)
        peer.send(revision("other", [[9]], more: ["collection": "1"]))
        #expect(fetches(try run(node, peer)).count == 1)
    }

    @Test("a revision that needs more attachments than the limit is refused for good, and takes nothing")
    func tooMany() throws {
        #expect(SessionLimits().neededAttachments == 10_000)
        let node = try node { $0.neededAttachments = 20 }
        let peer = try Endpoint()
        peer.send(revision("many", (0..<21).map { [$0] }))
        peer.send(revision("enough", (0..<20).map { [$0] }))
        let received = try run(node, peer)
        #expect(codes(received) == [413] && fetches(received).count == 8)
    }

    @Test("what many revisions need is fetched once, and not at all for those that have ended")
    func sameAttachment() throws {
        let store = MemoryStore()
        let node = try node(store)
        let peer = try Endpoint()
        for number in 0..<100 { peer.send(revision("\(number)", [[1], [2]])) }
        let asked = fetches(try run(node, peer))
        // All of the first ones at once; nobody knows yet what comes of them.
        #expect(asked.count == 8)
        var answered = asked.count
        func content(_ request: BLIPRequest) -> BLIPOutgoing {
            BLIPOutgoing(body: "sha1-" + TestDigest.sha1([1]).base64 == request.properties["digest"] ? [1] : [2])
        }
        for request in asked { peer.reply(to: request.number, with: content(request)) }
        let rest = try run(node, peer) { request in
            answered += 1
            return content(request)
        }
        #expect(codes(rest) == Array(repeating: 0, count: 100) && answered < 20, "\(answered)")
        #expect(try store.documents.count == 100 && node.session.received == remembered([[1], [2]]))
    }

    /// The counts of a session that holds nothing but the names of the attachments that it was given.
    private func remembered(_ contents: [[UInt8]]) throws -> ReceivedByteCounts {
        var given = GivenAttachments()
        for content in contents {
            given.insert(try #require(BlobDigest("sha1-" + TestDigest.sha1(content).base64)))
        }
        return ReceivedByteCounts(uncounted: given.heldByteCount)
    }

    @Test("a revision whose attachment is refused takes the rest of its needs with it")
    func endedRevision() throws {
        let node = try node()
        let peer = try Endpoint()
        peer.send(revision("a", (0..<200).map { [$0] }))
        for request in fetches(try run(node, peer)) { peer.reply(to: request.number, error: BLIPErrorReply(code: 404)) }
        let received = try run(node, peer)
        #expect(codes(received) == [404] && fetches(received).isEmpty)
        #expect(node.session.received == ReceivedByteCounts() && !node.session.isBusy)
    }

    @Test("a peer that subscribes again and again without answering is refused, until it has answered")
    func dropped() throws {
        let store = MemoryStore()
        for number in 0..<3 { store.save("\(number)", "{}") }
        let node = try node(store)
        let peer = try Endpoint()
        let properties: [BLIPProperties] = [
            ["Profile": "subChanges", "continuous": "true"], ["Profile": "unsubChanges"],
        ]
        var lists: [UInt64] = []
        var outcomes: [Int] = []
        for number in 0..<140 {
            peer.send(BLIPOutgoing(properties[number % 2]))
            let received = try run(node, peer)
            outcomes += codes(received)
            for case .request(let request) in received where request.wantsReply { lists.append(request.number) }
        }
        #expect(outcomes.filter { $0 == 0 }.count == 70 + 65 && outcomes.filter { $0 == 503 }.count == 5)
        // The empty list that says that all was announced wants an answer of nobody.
        #expect(lists.count == 65)
        for number in lists { peer.reply(to: number, with: BLIPOutgoing(body: Array("[]".utf8))) }
        peer.send(BLIPOutgoing(properties[0]))
        #expect(codes(try run(node, peer)) == [0])
    }

    @Test("revisions that a peer asked for and doesn't answer count after it has unsubscribed")
    func droppedRevisions() throws {
        let store = MemoryStore()
        for number in 0..<20 { store.save("\(number)", #"{"t":"\#(String(repeating: "x", count: 1_000))"}"#) }
        let node = try node(store) { $0.unansweredByteCount = 10_000 }
        let peer = try Endpoint()
        peer.send(BLIPOutgoing(["Profile": "subChanges", "continuous": "true"]))
        var sent: [UInt64] = []
        func want(_ request: BLIPRequest) -> BLIPOutgoing? {
            if request.profile == "rev" { sent.append(request.number) }
            let items = Array(repeating: "[]", count: 20).joined(separator: ",")
            return request.profile == "changes" ? BLIPOutgoing(body: Array("[\(items)]".utf8)) : nil
        }
        try run(node, peer, want)
        #expect((9..<12).contains(sent.count))
        peer.send(BLIPOutgoing(["Profile": "unsubChanges"]))
        peer.send(BLIPOutgoing(["Profile": "subChanges", "continuous": "true"]))
        #expect(codes(try run(node, peer)) == [0, 503])
        peer.reply(to: sent[0])
        peer.reply(to: sent[1])
        peer.reply(to: sent[2])
        peer.send(BLIPOutgoing(["Profile": "subChanges", "continuous": "true"]))
        #expect(codes(try run(node, peer)) == [0])
    }

    @Test("an answer that there is no room for ends the session so that the peer comes back: it would wait for ever")
    func rejectedReply() throws {
        let store = MemoryStore()
        store.save("a", "{}")
        let node = try node(store)
        let peer = try Endpoint()
        peer.send(BLIPOutgoing(["Profile": "subChanges", "continuous": "true"]))
        try run(node, peer) { request in
            guard request.profile == "changes" else { return nil }
            node.endpoint.multiplexer.collectedByteLimit = 1_000
            return BLIPOutgoing(body: Array(repeating: 0x20, count: 2_000) + Array("[[]]".utf8))
        }
        #expect(node.closed?.code == 4_001 && node.closed?.error?.recovery == .transient)
    }
}

@testable import SealiteProtocolTestSupport
@testable import SealiteProtocol
import Testing
import SealiteRevisions

@Suite("what a peer makes a passive session hold")
struct HeldByteTests {
    /// A passive session with documents of which a peer has asked for the changes.
    private func subscribed(
        _ count: Int, _ body: String = "{}"
    ) throws -> (SessionNode<PassiveSession>, Endpoint, MemoryStore) {
        let store = MemoryStore()
        for number in 0..<count { store.save("d\(number)", body) }
        let passive = try SessionNode(PassiveSession(.init(collections: ["_default"])), [store])
        let peer = try Endpoint()
        peer.send(BLIPOutgoing(["Profile": "subChanges", "continuous": "true"]))
        return (passive, peer, store)
    }

    /// Carries BLIP frames both ways, and does what the session asks of the database as long as `isWorking` says so. The peer answers
    /// with `answer`; lists and revisions that it leaves alone stay unanswered.
    private func run(
        _ passive: SessionNode<PassiveSession>, _ peer: Endpoint, isWorking: () -> Bool = { true },
        _ answer: (BLIPRequest) -> Void
    ) throws {
        while true {
            if let frame = try passive.endpoint.nextFrame() {
                for case .request(let request) in try peer.receive(frame) where request.wantsReply { answer(request) }
            } else if let frame = try peer.nextFrame() {
                try passive.receive(frame)
            } else if !isWorking() || !passive.work() {
                return
            }
        }
    }

    /// The wish for a list's revisions, all with the same ancestors.
    private func wish(_ request: BLIPRequest, ancestors: Int, byteCount: Int) throws -> BLIPOutgoing {
        let rows = try ChangesRequest(request, limits: MessageLimits()).rows.count
        let names = (1...ancestors).map { "\"\($0)-\(String(repeating: "a", count: byteCount - 4))\"" }
        let item = "[\(names.joined(separator: ","))]"
        return BLIPOutgoing(body: Array("[\([String](repeating: item, count: rows).joined(separator: ","))]".utf8))
    }

    @Test(
        "ancestors that the peer names are counted until their revisions are answered, and bounded", arguments: [1, 5])
    func ancestors(lists: Int) throws {
        let (passive, peer, store) = try subscribed(lists * 200)
        var pending: [BLIPRequest] = []
        try run(passive, peer) { pending.append($0) }
        #expect(pending.count == lists && passive.session.received.uncounted == 0)
        for request in pending {
            peer.reply(to: request.number, with: try wish(request, ancestors: 20, byteCount: 300))
        }
        try run(passive, peer, isWorking: { false }) { _ in }
        let held = passive.session.received.uncounted
        #expect(held > 200 * 20 * 300 && held < RevisionSender.ancestorByteLimit + lists * 200 * 1_000, "\(held)")
        var received: Set<String> = []
        try run(passive, peer) { request in
            if request.profile == "rev" { received.insert(request.properties["id"] ?? "") }
            peer.reply(to: request.number)
        }
        #expect(received == Set(store.documents.keys))
        #expect(passive.session.received.uncounted == 0 && !passive.session.isBusy)
    }

    @Test("revisions that end otherwise leave nothing behind", arguments: ["refused", "gone"])
    func ends(_ kind: String) throws {
        let (passive, peer, store) = try subscribed(10)
        try run(passive, peer) { request in
            guard request.profile == "changes" else {
                return peer.reply(to: request.number, error: BLIPErrorReply(code: 403))
            }
            if kind == "gone" { store.documents = [:] }
            if let wish = try? wish(request, ancestors: 3, byteCount: 40) { peer.reply(to: request.number, with: wish) }
        }
        #expect(passive.session.received.uncounted == 0 && !passive.session.isBusy)
    }

    @Test("attachments that the peer may fetch are counted")
    func offers() throws {
        let blob = #"{"@type":"blob","digest":"sha1-ArH2IhJgRp/90GRqSAdAfa750BE=","length":12}"#
        let (passive, peer, _) = try subscribed(1, #"{"p":\#(blob)}"#)
        try run(passive, peer) { request in
            peer.reply(
                to: request.number, with: BLIPOutgoing(body: request.profile == "changes" ? Array("[[]]".utf8) : []))
        }
        #expect(passive.session.received.uncounted == 80)
    }

    @Test("requests to the database count what the peer named in them")
    func requests() {
        let text = String(repeating: "x", count: 1_000)
        var scan = ChangeScan(after: 0, limit: 1, documentIDs: nil, isForPush: false)
        #expect(StoreRequest.scan(scan).heldByteCount < 1_000)
        scan.documentIDs = [text, text]
        #expect((2_000..<3_000).contains(StoreRequest.scan(scan).heldByteCount))
        #expect((2_000..<3_000).contains(StoreRequest.loadRefused(scan).heldByteCount))
        var query = RevisionQuery(
            documentID: text, version: Version("1-a"), knownAncestors: [], maxHistory: 1,
            listsAttachments: false,
            allowsReplacement: false)
        #expect((1_000..<2_000).contains(StoreRequest.loadRevisions([query]).heldByteCount))
        query.knownAncestors = [Version(text), Version(text)]
        #expect((6_000..<8_000).contains(StoreRequest.loadRevisions([query, query]).heldByteCount))
    }
}

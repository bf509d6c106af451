@testable import SealiteProtocolTestSupport
@testable import SealiteProtocol
import Testing
import SealiteRevisions

@Suite("the passive session and requests of every kind")
struct PassiveProbeTests {
    /// Sends requests to a passive session, each after the reply to the one before, and returns the replies.
    private func ask(
        _ requests: [BLIPOutgoing], _ store: MemoryStore = MemoryStore(), isReadOnly: Bool = false,
        collections: [String] = ["_default"]
    ) throws -> [BLIPReply] {
        let stores = collections.map { _ in store }
        let passive = try SessionNode(PassiveSession(.init(collections: collections, isReadOnly: isReadOnly)), stores)
        let peer = try Endpoint()
        var replies: [BLIPReply] = []
        for request in requests {
            peer.send(request)
            while true {
                if let frame = try peer.nextFrame() {
                    try passive.receive(frame)
                } else if let frame = try passive.endpoint.nextFrame() {
                    for case .reply(let reply, _) in try peer.receive(frame) { replies.append(reply) }
                } else if !passive.work(), !passive.wake() {
                    break
                }
            }
        }
        return replies
    }

    private func request(_ profile: String, _ more: BLIPProperties = [:], _ body: String = "") -> BLIPOutgoing {
        var properties: BLIPProperties = ["Profile": profile]
        for pair in more.pairs { properties[pair.name] = pair.value }
        return BLIPOutgoing(properties, body: Array(body.utf8))
    }

    private let collections = #"{"checkpoint_ids":["a","b"],"collections":["_default","app.x"]}"#

    @Test("a peer that names no collection is served the default one")
    func legacy() throws {
        let replies = try ask([
            request("getCheckpoint", ["client": "c"]), request("setCheckpoint", ["client": "c"], #"{"a":1}"#),
            request("getCheckpoint", ["client": "c"]), request("setCheckpoint", ["client": "c"], "{}"),
            request("setCheckpoint", ["client": "c", "rev": "1-cc"], "{}"), request("getCheckpoint"),
            request("setCheckpoint", ["client": "c", "rev": "2-cc"], "[]"),
            request("getCheckpoint", ["client": "c", "collection": "0"]),
        ])
        #expect(replies.map { $0.error?.code ?? 0 } == [404, 0, 0, 409, 0, 400, 400, 400])
        #expect(replies[1].properties["rev"] == "1-cc" && replies[4].properties["rev"] == "2-cc")
        #expect(replies[2].properties["rev"] == "1-cc" && replies[2].body == Array(#"{"a":1}"#.utf8))
    }

    @Test("a peer that asked for collections names one in every request")
    func named() throws {
        let replies = try ask([
            request("getCollections", [:], collections), request("getCheckpoint", ["client": "c", "collection": "0"]),
            request("getCheckpoint", ["client": "c", "collection": "1"]), request("getCheckpoint", ["client": "c"]),
            request("getCheckpoint", ["client": "c", "collection": "2"]),
            request("getCheckpoint", ["client": "c", "collection": "x"]),
            request("getCollections", [:], collections),
        ])
        #expect(String(decoding: replies[0].body, as: UTF8.self) == "[{},null]")
        #expect(replies.dropFirst().map { $0.error?.code ?? 0 } == [404, 400, 400, 400, 400, 400])
        #expect(replies[6].error?.message == "Invalid getCollections message: not the first message")
        #expect(replies[4].error?.message == "the collection property is out of range.")
    }

    @Test("a session that has ended inserts nothing at the time that it named before")
    func wakesAfterEnd() throws {
        var session = PassiveSession(.init(collections: ["_default"]))
        let now = Now(moment: ContinuousClock.now, unixSeconds: 0)
        let properties: BLIPProperties = ["Profile": "rev", "id": "a", "rev": "1-aa"]
        _ = session.receive(BLIPRequest(number: 1, properties: properties, body: Array("{}".utf8)), at: now)
        let deadline = try #require(session.deadline)
        _ = session.stop(at: now)
        #expect(session.wake(at: Now(moment: deadline, unixSeconds: 0)).isEmpty)
    }

    @Test("without a default collection a peer that names none is refused")
    func withoutDefault() throws {
        let replies = try ask([request("getCheckpoint", ["client": "c"])], collections: ["app.x"])
        #expect(replies.map(\.error?.code) == [400])
        let path = #"{"checkpoint_ids":["a"],"collections":["_default.y"]}"#
        #expect(try ask([request("getCollections", [:], path)], collections: ["y"]).first?.body == Array("[{}]".utf8))
    }

    @Test("proposals are answered by what the database has")
    func proposals() throws {
        let store = MemoryStore()
        store.put("a", Version("2-b"), history: [Version("1-a")], body: Array("{}".utf8))
        store.put("t", Version("2-t"), history: [Version("1-t")], isDeleted: true, body: Array("{}".utf8))
        let rows =
            #"[["new","1-a"],["a","2-b"],["a","1-a"],["a","3-c","2-b"],["a","3-c","1-a"],["a","1-x"],["t","1-n"],["no","2-a","1-a"]]"#
        let replies = try ask(
            [
                request("proposeChanges", ["conflictIncludesRev": "true"], rows), request("proposeChanges", [:], rows),
                request("proposeChanges", [:], "[]"), request("proposeChanges", [:], "null"),
                request("proposeChanges", [:], "{}"),
                request("proposeChanges", [:], #"[["a"]]"#), request("proposeChanges", [:], #"[["","1-a"]]"#),
            ], store)
        let conflict = #"{"status":409,"rev":"2-b"}"#
        #expect(
            String(decoding: replies[0].body, as: UTF8.self)
                == #"[0,304,\#(conflict),0,\#(conflict),\#(conflict),0,{"status":409,"rev":""}]"#)
        #expect(String(decoding: replies[1].body, as: UTF8.self) == "[0,304,409,0,409,409,0,409]")
        #expect(replies[0].properties["blobs"] == "true" && replies[0].properties["maxHistory"] == "50")
        #expect(replies.dropFirst(2).map { $0.error?.code ?? 0 } == [0, 0, 400, 400, 400])
    }

    @Test("revisions are stored, known, refused as conflicts or as unreadable")
    func revisions() throws {
        let store = MemoryStore()
        store.put("a", Version("2-b"), history: [Version("1-a")], body: Array("{}".utf8))
        let replies = try ask(
            [
                request("rev", ["id": "n", "rev": "1-a"], "{}"), request("rev", ["id": "n", "rev": "1-a"], "{}"),
                request("rev", ["id": "a", "rev": "2-x", "history": "1-a"], "{}"),
                request("rev", ["id": "a", "rev": "3-c", "history": "2-b,1-a"], "{}"),
                request("rev", ["id": "x", "rev": "1-a"], "nonsense"),
                request("rev", ["id": "x", "rev": "garbage"], "{}"), request("rev", ["rev": "1-a"], "{}"),
                request("rev", ["id": "x", "rev": "1-a", "error": "500"], "{}"),
                request("norev", ["id": "x", "rev": "1-a"]),
                request("changes", [:], #"[[1,"a","9-a"]]"#),
            ], store)
        #expect(replies.map { $0.error?.code ?? 0 } == [0, 0, 409, 0, 400, 400, 400, 0, 0, 409])
        #expect(replies[1].properties["noop"] == "true")
        #expect(store.currentRevisions == ["n": "1-a", "a": "3-c"])
    }

    @Test("attachments that were not sent with a revision are answered as those that are not there")
    func attachments() throws {
        let store = MemoryStore()
        let digest = try store.saveAttachment(Array("Hello, blob!".utf8))
        store.save("a", #"{"p":{"@type":"blob","digest":"\#(digest)","length":12}}"#)
        let nonce = String(decoding: Array(0...0x13) as [UInt8], as: UTF8.self)
        let replies = try ask(
            [
                request("getAttachment", ["digest": digest.description]),
                request("proveAttachment", ["digest": digest.description], nonce),
                request("getAttachment", ["digest": "sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA="]), request("getAttachment"),
                request("proveAttachment", ["digest": digest.description]),
                request("getAttachment", ["digest": "../../etc"]),
            ], store)
        #expect(replies.map(\.error?.code) == [404, 404, 404, 400, 400, 400])
        #expect(replies[0].error == replies[2].error && replies[1].error == replies[2].error)
    }

    @Test("a subscription is refused where it cannot be served")
    func subscriptions() throws {
        let replies = try ask([
            request("subChanges", ["filter": "sync_gateway/bychannel", "channels": "a"]),
            request("subChanges", ["versioning": "version-vectors"]),
            request("subChanges", ["continuous": "true"]), request("subChanges"), request("unsubChanges"),
            request("subChanges"),
            request("subChanges", ["since": "\"junk\""]),
        ])
        #expect(replies.map { $0.error?.code ?? 0 } == [19, 501, 0, 500, 0, 0, 0])
        #expect(replies[0].error?.domain == "LiteCore")
    }

    @Test("what a peer may make the session hold, or store, is bounded for each kind of request")
    func bounds() throws {
        let long = String(repeating: "x", count: 8_200)
        let ids = (0..<2_000).map { #""\#($0)\#(String(repeating: "d", count: 600))""# }.joined(separator: ",")
        let replies = try ask([
            request("setCheckpoint", ["client": "c"], #"{"x":"\#(long)"}"#),
            request("setCheckpoint", ["client": String(repeating: "c", count: 256)], "{}"),
            request("getCheckpoint", ["client": String(repeating: "c", count: 256)]),
            request("setCheckpoint", ["client": "c"], #"{"x":"\#(long.prefix(8_000))"}"#),
            request("subChanges", ["continuous": "true"], #"{"docIDs":[\#(ids)]}"#),
            request("subChanges", ["continuous": "true"], #"{"docIDs":["a"]}"#),
        ])
        #expect(replies.map { $0.error?.code ?? 0 } == [413, 413, 413, 0, 413, 0])
        let twice = #"{"checkpoint_ids":["a","a"],"collections":["_default","_default._default"]}"#
        #expect(try ask([request("getCollections", [:], twice)]).map { $0.error?.code } == [400])
    }

    @Test("a read-only peer refuses to be changed, and unknown profiles are named so")
    func refusals() throws {
        let store = MemoryStore()
        let replies = try ask(
            [
                request("proposeChanges", [:], #"[["a","1-a"]]"#), request("rev", ["id": "a", "rev": "1-a"], "{}"),
                request("changes", [:], #"[[1,"a","1-a"]]"#), request("PING"), request("nonsense"), BLIPOutgoing(),
            ], store, isReadOnly: true)
        #expect(replies.map { $0.error?.code ?? 0 } == [403, 403, 403, 0, 404, 404])
        #expect(replies[0].error?.message == "Attempting to push to a pull-only replicator")
        #expect(replies[4].error == .noHandler && store.documents.isEmpty)
    }
}

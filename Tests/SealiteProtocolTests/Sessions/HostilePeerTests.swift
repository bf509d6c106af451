@testable import SealiteProtocolTestSupport
@testable import SealiteProtocol
import Testing
import SealiteRevisions

@Suite("sessions and hostile or failing peers")
struct HostilePeerTests {
    /// An active session that was brought to the point where it waits for changes.
    private func pulling(
        _ store: MemoryStore, limits: BLIPLimits = BLIPLimits(), sessionLimits: SessionLimits = SessionLimits()
    ) throws -> (SessionNode<ActiveSession>, Endpoint) {
        var configuration = SessionConfiguration.one(push: false)
        configuration.limits = sessionLimits
        let active = try SessionNode(ActiveSession(configuration), [store], limits: limits)
        let peer = try Endpoint()
        active.start()
        _ = try run(active, peer, answering: true)
        return (active, peer)
    }

    /// Passes BLIP frames both ways until all is still, and returns what the peer received.
    @discardableResult
    private func run(
        _ active: SessionNode<ActiveSession>, _ peer: Endpoint, answering: Bool = false,
        _ answer: (BLIPRequest) -> Bool = { _ in false }
    ) throws -> [BLIPAction] {
        var received: [BLIPAction] = []
        while true {
            if let frame = try active.endpoint.nextFrame() {
                for action in try peer.receive(frame) {
                    received.append(action)
                    guard case .request(let request) = action, !answer(request), answering else { continue }
                    let body = request.profile == "getCollections" ? "[{}]" : ""
                    peer.reply(to: request.number, with: BLIPOutgoing(["rev": "0-1"], body: Array(body.utf8)))
                }
            } else if active.closed == nil, let frame = try peer.nextFrame() {
                try active.receive(frame)
            } else if active.closed != nil || !active.work() && !active.wake() {
                return received
            }
        }
    }

    private func changes(_ body: String, noReply: Bool = false) -> BLIPOutgoing {
        BLIPOutgoing(["Profile": "changes", "collection": "0"], body: Array(body.utf8), isNoReply: noReply)
    }

    private func revision(_ id: String, _ sequence: Int, _ body: String, _ more: BLIPProperties = [:]) -> BLIPOutgoing {
        var properties: BLIPProperties = [
            "Profile": "rev", "collection": "0", "id": id, "rev": "1-\(id)", "sequence": "\(sequence)",
        ]
        for pair in more.pairs { properties[pair.name] = pair.value }
        return BLIPOutgoing(properties, body: Array(body.utf8))
    }

    @Test(
        "a list of changes that cannot be read ends the session as a violation of the protocol",
        arguments: ["{}", "[[1]]", "[", "[[1,\"a\",\"garbage\"]]", "million"])
    func unreadableChanges(_ body: String) throws {
        let (active, peer) = try pulling(MemoryStore())
        let text = body == "million" ? "[" + String(repeating: #"[1,"a","1-a"],"#, count: 1_000_000) + "0]" : body
        peer.send(changes(text))
        try run(active, peer)
        #expect(active.closed?.error?.code == .protocolViolation && active.closed?.code == 4_002)
    }

    /// Limits that a message of 300,000 bytes exceeds, by itself or together with others.
    private func limits(isForNow: Bool) -> BLIPLimits {
        var limits = BLIPLimits()
        if isForNow { limits.collectedByteCount = 100_000 } else { limits.messageByteCount = 100_000 }
        return limits
    }

    /// Checks that a session ended because it couldn't receive a message, and may be tried again only if there was
    /// merely no room for it.
    private func expectRejection(_ active: SessionNode<ActiveSession>, isForNow: Bool) {
        let code: SessionError.Code = isForNow ? .http(503) : .protocolViolation
        #expect(active.closed?.error?.code == code && active.closed?.code == (isForNow ? 4_001 : 4_002))
        #expect(active.closed?.error?.reason.contains("can't be received") == true)
    }

    @Test("a list of changes for which there is no room now ends the session until later", arguments: [true, false])
    func rejectedChanges(isForNow: Bool) throws {
        let (active, peer) = try pulling(MemoryStore(), limits: limits(isForNow: isForNow))
        peer.send(changes("\"" + String(repeating: "x", count: 300_000) + "\""))
        try run(active, peer)
        expectRejection(active, isForNow: isForNow)
    }

    @Test("a request for whose properties there is no room now ends the session until later")
    func rejectedProperties() throws {
        var limits = BLIPLimits()
        limits.collectedByteCount = 50_000
        let (active, peer) = try pulling(MemoryStore(), limits: limits)
        peer.send(BLIPOutgoing(["Profile": "changes", "more": String(repeating: "x", count: 90_000)]))
        try run(active, peer)
        expectRejection(active, isForNow: true)
    }

    @Test("a reply that can't be received ends the session, and isn't taken for a refusal", arguments: [true, false])
    func rejectedReply(isForNow: Bool) throws {
        let session = ActiveSession(.one(push: false))
        let active = try SessionNode(session, [MemoryStore()], limits: limits(isForNow: isForNow))
        let peer = try Endpoint()
        active.start()
        try run(active, peer) { request in
            guard request.profile == "getCollections" else { return false }
            peer.reply(to: request.number, with: BLIPOutgoing(body: [UInt8](repeating: 0x20, count: 300_000)))
            return true
        }
        expectRejection(active, isForNow: isForNow)
    }

    @Test("revisions that cannot be taken are refused and reported, and the others go through")
    func badRevisions() throws {
        let store = MemoryStore()
        let (active, peer) = try pulling(store)
        peer.send(changes(#"[[1,"a","1-a"],[2,"b","1-b"],[3,"c","1-c"],[4,"d","1-d"],[5,"e","1-e"]]"#))
        try run(active, peer)
        peer.send(revision("a", 1, "not JSON"))
        peer.send(revision("b", 2, "{}", ["rev": "garbage"]))
        peer.send(revision("c", 3, "{}", ["error": "500"]))
        peer.send(revision("d", 4, "{}", ["history": "x,y"]))
        peer.send(revision("e", 5, #"{"good":true}"#))
        peer.send(changes("null", noReply: true))
        let received = try run(active, peer, answering: true)
        let codes = received.compactMap { action -> Int? in
            guard case .reply(let reply, _) = action else { return nil }
            return reply.error?.code ?? 0
        }
        #expect(codes.sorted() == [0, 0, 400, 400, 400])
        #expect(active.errors.keys.sorted() == ["a", "b", "c", "d"])
        #expect(store.body("e") == #"{"good":true}"# && store.documents.count == 1)
        #expect(active.closed?.code == 1_000)
        // None of them is asked for again.
        #expect(
            store.checkpoints["cp-1"].map { String(decoding: $0, as: UTF8.self) }?.hasSuffix("\"remote\":5}") == true)
    }

    @Test("a revision over the limit is refused with 413, and the session goes on")
    func largeRevision() throws {
        let store = MemoryStore()
        var limits = BLIPLimits()
        limits.messageByteCount = 100_000
        let (active, peer) = try pulling(store, limits: limits)
        peer.send(changes(#"[[1,"a","1-a"],[2,"b","1-b"]]"#))
        try run(active, peer)
        peer.send(revision("a", 1, "\"" + String(repeating: "x", count: 3_000_000) + "\""))
        peer.send(revision("b", 2, "{}"))
        peer.send(changes("[]", noReply: true))
        try run(active, peer, answering: true)
        #expect(active.errors.mapValues(\.code) == ["a": .http(413)])
        #expect(active.closed?.code == 1_000 && store.body("b") == "{}")
    }

    @Test("revisions beyond what may wait for attachments are refused for now, and recorded")
    func heldRevisions() throws {
        let store = MemoryStore()
        var limits = SessionLimits()
        limits.heldByteCount = 1_000
        let (active, peer) = try pulling(store, sessionLimits: limits)
        peer.send(changes(#"[[1,"a","1-a"],[2,"b","1-b"],[3,"c","1-c"]]"#))
        try run(active, peer)
        let filler = String(repeating: "x", count: 2_000)
        let digest = "sha1-ArH2IhJgRp/90GRqSAdAfa750BE="
        let body = #"{"p":{"@type":"blob","digest":"\#(digest)","length":12},"t":"\#(filler)"}"#
        peer.send(revision("a", 1, body))
        let asked = try run(active, peer).compactMap { action -> UInt64? in
            if case .request(let request) = action, request.profile == "getAttachment" { request.number } else { nil }
        }
        peer.send(revision("b", 2, "{}"))
        let codes = try run(active, peer).compactMap { action -> Int? in
            if case .reply(let reply, _) = action { reply.error?.code } else { nil }
        }
        #expect(codes == [503])
        for number in asked { peer.reply(to: number, error: BLIPErrorReply(code: 404)) }
        try run(active, peer, answering: true)
        peer.send(revision("c", 3, "{}"))
        peer.send(changes("[]", noReply: true))
        try run(active, peer, answering: true)
        #expect(active.errors.mapValues(\.code) == ["a": .http(404), "b": .http(503)])
        #expect(store.documents.keys.sorted() == ["c"] && active.closed?.code == 1_000)
        #expect(store.unstored.mapValues(\.isCuredByTime) == ["a": false, "b": true])
        let saved = store.checkpoints["cp-1"].map { String(decoding: $0, as: UTF8.self) }
        #expect(saved?.hasSuffix("\"remote\":3}") == true)
    }

    @Test(
        "an attachment that is missing, or lies about its digest, fails its revision only",
        arguments: ["missing", "overloaded", "wrong", "empty"])
    func badAttachment(_ kind: String) throws {
        let store = MemoryStore()
        let (active, peer) = try pulling(store)
        peer.send(changes(#"[[1,"a","1-a"],[2,"b","1-b"]]"#))
        try run(active, peer)
        peer.send(revision("a", 1, #"{"p":{"@type":"blob","digest":"sha1-ArH2IhJgRp/90GRqSAdAfa750BE=","length":12}}"#))
        peer.send(revision("b", 2, "{}"))
        for case .request(let request) in try run(active, peer) where request.profile == "getAttachment" {
            #expect(request.properties["docID"] == "a" && request.properties["collection"] == "0")
            switch kind {
            case "missing": peer.reply(to: request.number, error: BLIPErrorReply(code: 404))
            case "overloaded": peer.reply(to: request.number, error: BLIPErrorReply(code: 503))
            case "wrong": peer.reply(to: request.number, with: BLIPOutgoing(body: Array("Hello, blub!".utf8)))
            default: peer.reply(to: request.number)
            }
        }
        peer.send(changes("[]", noReply: true))
        try run(active, peer, answering: true)
        let codes: [String: SessionError.Code] = ["missing": .http(404), "overloaded": .http(503)]
        #expect(active.errors.mapValues(\.code) == ["a": codes[kind] ?? .corruptAttachment])
        // It is asked for again, and what may pass also in this session.
        #expect(store.unstored.mapValues(\.isCuredByTime) == ["a": kind == "overloaded"])
        let saved = store.checkpoints["cp-1"].map { String(decoding: $0, as: UTF8.self) }
        #expect(saved?.contains("\"remote\":2") == true)
        #expect(store.documents.keys.sorted() == ["b"] && store.attachments.isEmpty)
        #expect(active.closed?.code == 1_000)
    }

    @Test("a database that is busy refuses a document, and the checkpoint passes it only once that is recorded")
    func busyDatabase() throws {
        let store = MemoryStore()
        let (active, peer) = try pulling(store)
        peer.send(changes(#"[[1,"a","1-a"]]"#))
        try run(active, peer)
        store.failure = {
            if case .insert = $0 { StoreFailure(isTransient: true, reason: "the disk is full") } else { nil }
        }
        peer.send(revision("a", 1, "{}"))
        peer.send(changes("[]", noReply: true))
        let received = try run(active, peer, answering: true)
        let code = received.compactMap { action -> Int? in
            if case .reply(let reply, _) = action { reply.error?.code } else { nil }
        }
        #expect(code == [503])
        #expect(active.errors["a"]?.recovery == .transient)
        #expect(store.unstored["a"]?.code == 503 && store.unstored["a"]?.isCuredByTime == true)
    }

    @Test("a revision that comes twice, as itself and in place of an older one, is stored with its attachment")
    func twice() throws {
        let store = MemoryStore()
        let (active, peer) = try pulling(store)
        for sequence in [1, 2] {
            peer.send(changes(#"[[\#(sequence),"a","1-a"]]"#))
            try run(active, peer)
        }
        let content = Array("Hello, blob!".utf8)
        let digest = "sha1-" + TestDigest.sha1(content).base64
        for sequence in [1, 2] {
            peer.send(revision("a", sequence, #"{"b":{"@type":"blob","digest":"\#(digest)","length":12}}"#))
        }
        peer.send(changes("[]", noReply: true))
        try run(active, peer, answering: true) { request in
            guard request.profile == "getAttachment" else { return false }
            peer.reply(to: request.number, with: BLIPOutgoing(body: content))
            return true
        }
        #expect(active.errors.isEmpty && active.closed?.error == nil)
        #expect(store.currentRevisions == ["a": "1-a"] && store.attachments.count == 1)
    }

    @Test(
        "a revision that is here is asked for all the same while another one of its document is on its way",
        arguments: [false, true])
    func lastWord(areComparedTogether: Bool) throws {
        let store = MemoryStore()
        for id in ["a", "b"] { store.put(id, Version("1-\(id)"), history: [], body: Array("{}".utf8)) }
        let (active, peer) = try pulling(store)
        var answers: [String] = []
        for list in [#"[[1,"a","2-c",1]]"#, #"[[2,"a","1-a"],[3,"b","1-b"]]"#] {
            peer.send(changes(list))
            if areComparedTogether, list.contains("2-c") { continue }
            for case .reply(let reply, _) in try run(active, peer) {
                answers.append(String(decoding: reply.body, as: UTF8.self))
            }
        }
        #expect(answers.count == 2 && answers.last?.hasPrefix("[[") == true && answers.last?.contains("[],[") == false)
        let control = try pulling(store)
        control.1.send(changes(#"[[2,"a","1-a"],[3,"b","1-b"]]"#))
        for case .reply(let reply, _) in try run(control.0, control.1) {
            #expect(!reply.body.starts(with: Array("[[".utf8)))
        }
    }

    @Test("an error of the peer ends the session with its status", arguments: [400, 403, 404, 500, 503])
    func refusedSubscription(_ status: Int) throws {
        let active = try SessionNode(ActiveSession(.one(push: false)), [MemoryStore()])
        let peer = try Endpoint()
        active.start()
        try run(active, peer, answering: true) { request in
            guard request.profile == "subChanges" else { return false }
            peer.reply(to: request.number, error: BLIPErrorReply(code: status, message: "no"))
            return true
        }
        #expect(active.closed?.error?.code == .http(status))
        #expect(active.closed?.code == (status == 503 ? 4_001 : 4_002))
    }

    @Test("a peer that never answers lists makes the session hold no more than its limit of them")
    func endlessLists() throws {
        let (active, peer) = try pulling(MemoryStore())
        for number in 0..<200 { peer.send(changes("[[\(number),\"d\(number)\",\"1-a\"]]")) }
        // Two of them are compared at once and the first 400 rows are asked for; the revisions never come.
        for number in 200..<1_000 { peer.send(changes("[[\(number),\"d\(number)\",\"1-a\"]]")) }
        try run(active, peer)
        #expect(active.closed?.error?.code == .protocolViolation)
    }

    @Test("requests that a peer must not send are refused, and do no harm")
    func strayRequests() throws {
        let (active, peer) = try pulling(MemoryStore())
        for profile in ["subChanges", "proposeChanges", "getCheckpoint", "setCheckpoint", "nonsense", ""] {
            peer.send(BLIPOutgoing(["Profile": profile, "collection": "0"]))
        }
        peer.send(BLIPOutgoing(["Profile": "changes"]))
        peer.send(BLIPOutgoing(["Profile": "rev", "collection": "7"]))
        peer.send(BLIPOutgoing(["Profile": "getAttachment", "collection": "0", "digest": "x"]))
        peer.send(BLIPOutgoing(["Profile": "proveAttachment", "collection": "0"]))
        peer.send(BLIPOutgoing())
        let received = try run(active, peer)
        let errors = received.compactMap { action -> Int? in
            if case .reply(let reply, _) = action { reply.error?.code } else { nil }
        }
        #expect(errors.filter { $0 == 404 }.count == 7 && errors.filter { $0 == 400 }.count == 4)
        #expect(active.closed == nil)
    }
}

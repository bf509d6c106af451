@testable import SealiteProtocolTestSupport
@testable import SealiteProtocol
import SealiteTestSupport
import Testing
import SealiteRevisions

@Suite("an active and a passive session")
struct SessionPairTests {
    @Test("a session that is stopped before it starts, or whose connection is lost, says nothing")
    func stoppedBefore() {
        let now = Now(moment: ContinuousClock.now, unixSeconds: 1_700_000_000)
        var stopped = ActiveSession(.one())
        #expect(stopped.stop(at: now) == [.close(code: 1_000, nil)] && stopped.start(at: now).isEmpty)
        var lost = ActiveSession(.one())
        #expect(lost.disconnected().isEmpty && lost.start(at: now).isEmpty)
    }

    @Test("a push brings documents, tombstones and attachments, and the next one brings only what is new")
    func push() throws {
        let (here, there) = (MemoryStore(), MemoryStore())
        let digest = try here.saveAttachment(Array("Hello, blob!".utf8))
        here.save("a", #"{"n":1}"#)
        here.save("b", #"{"n":2}"#)
        here.save("b", "{}", isDeleted: true)
        here.save("c", #"{"photo":{"@type":"blob","digest":"\#(digest)","length":12,"content_type":"text/plain"}}"#)
        let first = try SessionPair(.one(pull: false), [here], [there])
        try first.run()
        #expect(first.active.closed?.code == 1_000 && first.active.closed?.error == nil)
        #expect(there.currentRevisions == here.currentRevisions)
        #expect(there.attachments[digest] == Array("Hello, blob!".utf8))
        #expect(there.isDeleted("b"))
        #expect(first.active.events.map(\.documentID).sorted() == ["a", "b", "c"])
        #expect(first.active.errors.isEmpty)

        here.save("a", #"{"n":3}"#)
        let second = try SessionPair(.one(pull: false), [here], [there])
        try second.run()
        #expect(there.body("a") == #"{"n":3}"#)
        #expect(second.active.events.map(\.documentID) == ["a"])
        #expect(there.documents["a"]?.ancestors(of: here.documents["a"]?.current ?? Version("")).count == 1)

        let third = try SessionPair(.one(pull: false), [here], [there])
        try third.run()
        #expect(third.active.events.isEmpty)
        // Nothing to do means nothing to save.
        #expect(!third.active.sent.contains { $0.properties["Profile"] == "setCheckpoint" })
    }

    @Test(
        "a pull brings documents and attachments, and resumes after its checkpoint",
        arguments: [0, 1, 199, 200, 201, 1_000])
    func pull(_ count: Int) throws {
        let (here, there) = (MemoryStore(), MemoryStore())
        for number in 0..<count { there.save("doc-\(number)", #"{"n":\#(number)}"#) }
        let first = try SessionPair(.one(push: false), [here], [there])
        try first.run()
        #expect(first.active.closed?.code == 1_000)
        #expect(here.currentRevisions == there.currentRevisions)
        there.save("new", "{}")
        let second = try SessionPair(.one(push: false), [here], [there])
        try second.run()
        #expect(second.active.events.map(\.documentID) == ["new"])
        let lists = second.passive.sent.filter { $0.properties["Profile"] == "changes" }
        #expect(lists.map { String(decoding: $0.body, as: UTF8.self) }.first?.contains("\"new\"") == true)
        #expect(lists.count == 2)
    }

    @Test("a document that is deleted while an empty peer pulls it for the first time is deleted there too")
    func deletedMeanwhile() throws {
        let (here, there) = (MemoryStore(), MemoryStore())
        there.save("old", "{}")
        there.save("old", "{}", isDeleted: true)
        for number in 0..<10 { there.save("d\(number)", "{}") }
        var isSent = false
        there.failure = { [unowned there] request in
            switch request {
            case .loadRevisions: isSent = true
            // The revision of d0 is on its way, and further pages follow.
            case .scan where isSent && !there.isDeleted("d0"):
                there.save("d0", "{}", isDeleted: true)
                there.save("last", "{}")
            default: break
            }
            return nil
        }
        var configuration = SessionConfiguration.one(push: false)
        configuration.collections[0].isEmpty = true
        var limits = SessionLimits()
        (limits.changesPerList, limits.listsInFlight) = (2, 1)
        let active = try SessionNode(ActiveSession(configuration), [here])
        let passive = try SessionNode(PassiveSession(.init(collections: ["_default"], limits: limits)), [there])
        active.start()
        try SessionRun.run(active, passive)
        #expect(there.isDeleted("d0") && here.isDeleted("d0"))
        #expect(here.documents["old"] == nil && here.documents.count == 11)
    }

    @Test("an attachment of a megabyte is pulled and pushed whole, and one that is there is not fetched")
    func attachments() throws {
        let (here, there) = (MemoryStore(), MemoryStore())
        var random = SeededRandom(part: 9)
        let content = random.bytes(1_000_000)
        let digest = try there.saveAttachment(content)
        let body = #"{"a":[{"@type":"blob","digest":"\#(digest)","length":1000000}]}"#
        there.save("x", body)
        there.save("y", body)
        let pair = try SessionPair(.one(), [here], [there])
        try pair.run()
        #expect(here.attachments[digest] == content)
        #expect(here.body("x") == body && here.body("y") == body)
        here.save("z", body)
        let again = try SessionPair(.one(), [here], [there])
        try again.run()
        #expect(there.body("z") == body)
        #expect(again.passive.fetchedCount == 0)
    }

    @Test("a continuous session passes changes on in both directions, without echoes")
    func continuous() throws {
        let (here, there) = (MemoryStore(), MemoryStore())
        there.save("a", #"{"n":1}"#)
        let pair = try SessionPair(.one(isContinuous: true), [here], [there])
        try pair.run()
        #expect(pair.active.closed == nil)
        #expect(pair.active.session.status.activity == .idle)
        here.save("b", #"{"n":2}"#)
        there.save("a", #"{"n":3}"#)
        try pair.run()
        #expect(here.currentRevisions == there.currentRevisions && here.body("a") == #"{"n":3}"#)
        for number in 0..<50 {
            here.save("b", #"{"n":\#(number)}"#)
            if number % 7 == 0 { try pair.run() }
        }
        try pair.run()
        #expect(there.body("b") == #"{"n":49}"#)
        #expect(pair.active.errors.isEmpty && pair.passive.errors.isEmpty)
        #expect(pair.active.statuses.map(\.activity).contains(.busy))
        pair.active.stop()
        try pair.run()
        #expect(pair.active.closed?.code == 1_000)
        // The side that serves goes away; the peer may come back.
        pair.passive.stop()
        #expect(pair.passive.closed?.code == 4_001 && pair.passive.closed?.error == nil)
    }

    @Test("what could not be pushed for now ends a continuous session, so that the next one tries it again")
    func leftToTheNext() throws {
        let (here, there) = (MemoryStore(), MemoryStore())
        here.save("a", "{}")
        var isFull = true
        there.failure = {
            if case .insert = $0, isFull { StoreFailure(isTransient: true, reason: "the disk is full") } else { nil }
        }
        let pair = try SessionPair(.one(isContinuous: true), [here], [there])
        try pair.run()
        #expect(pair.active.closed?.code == 4_001 && pair.active.closed?.error?.recovery == .transient)
        #expect(!pair.active.session.status.hasProgressed)
        isFull = false
        let next = try SessionPair(.one(isContinuous: true), [here], [there])
        try next.run()
        #expect(next.active.closed == nil && here.currentRevisions == there.currentRevisions)
        #expect(next.active.session.status.hasProgressed)
    }

    @Test("a checkpoint that is being saved makes nobody wait for the next one's time")
    func slowCheckpoint() throws {
        let here = MemoryStore()
        here.save("a", "{}")
        let active = try SessionNode(ActiveSession(.one(pull: false, isContinuous: true)), [here])
        let peer = try Endpoint()
        active.start()
        /// Answers all but the saving of checkpoints.
        func answer() throws {
            while true {
                while let frame = try peer.nextFrame() { try active.receive(frame) }
                guard let frame = try active.endpoint.nextFrame() else {
                    if active.work() { continue }
                    return
                }
                for case .request(let request) in try peer.receive(frame) where request.profile != "setCheckpoint" {
                    let body =
                        request.profile == "getCollections" ? "[{}]" : request.profile == "proposeChanges" ? "[]" : ""
                    peer.reply(to: request.number, with: BLIPOutgoing(body: Array(body.utf8)))
                }
            }
        }
        try answer()
        here.save("b", "{}")
        try answer()
        #expect(active.sent.filter { $0.properties["Profile"] == "setCheckpoint" }.count == 1)
        #expect(active.session.deadline == nil)
    }

    @Test("a conflict is told once, kept, and its resolution is pushed as a child of the remote revision")
    func conflict() throws {
        let (here, there) = (MemoryStore(), MemoryStore())
        here.save("a", #"{"n":1}"#)
        try SessionPair(.one(), [here], [there]).run()
        here.save("a", #"{"here":2}"#)
        there.save("a", #"{"there":2}"#)
        let pair = try SessionPair(.one(), [here], [there])
        try pair.run()
        #expect(pair.active.events.filter { $0.error?.code == .conflict }.count == 1)
        #expect(here.documents["a"]?.conflict == there.documents["a"]?.current)
        #expect(there.body("a") == #"{"there":2}"#)
        here.resolve("a", keepingLocal: true)
        let after = try SessionPair(.one(), [here], [there])
        try after.run()
        #expect(after.active.errors.isEmpty)
        #expect(there.body("a") == #"{"here":2}"# && here.currentRevisions == there.currentRevisions)
        #expect(there.documents["a"]?.current.revisionID?.generation == 3)
    }

    @Test("a push without a pull reports a conflict, and the checkpoint passes it")
    func pushConflict() throws {
        let (here, there) = (MemoryStore(), MemoryStore())
        here.save("a", #"{"here":1}"#)
        here.save("b", #"{"here":1}"#)
        there.save("a", #"{"there":1}"#)
        let pair = try SessionPair(.one(pull: false), [here], [there])
        try pair.run()
        #expect(pair.active.errors.mapValues(\.code) == ["a": .conflict])
        #expect(there.body("b") == #"{"here":1}"#)
        #expect(pair.active.closed?.error == nil)
        let again = try SessionPair(.one(pull: false), [here], [there])
        try again.run()
        #expect(again.active.events.isEmpty)
    }

    @Test("a server that lost its checkpoint is sent everything again, and knows it already")
    func lostCheckpoint() throws {
        let (here, there) = (MemoryStore(), MemoryStore())
        for number in 0..<10 { here.save("d\(number)", "{}") }
        try SessionPair(.one(pull: false), [here], [there]).run()
        there.peerCheckpoints = [:]
        // The remote ancestors say that nothing is new; without them everything is proposed.
        for id in here.documents.keys { here.documents[id]?.remote = nil }
        let pair = try SessionPair(.one(pull: false), [here], [there])
        try pair.run()
        #expect(pair.active.errors.isEmpty && pair.active.events.count == 10)
        #expect(!pair.active.sent.contains { $0.properties["Profile"] == "rev" })
        #expect(there.peerCheckpoints.count == 1)
    }

    @Test("several collections are replicated side by side; one that is missing ends the session")
    func collections() throws {
        let here = [MemoryStore(), MemoryStore()]
        let there = [MemoryStore(), MemoryStore()]
        here[0].save("a", "{}")
        there[1].save("b", "{}")
        var configuration = SessionConfiguration.one(path: "app.notes")
        configuration.collections.append(
            SessionConfiguration.Collection(path: "app.tasks", checkpointID: "cp-2", isPush: true, isPull: true))
        let pair = try SessionPair(configuration, here, there)
        try pair.run()
        #expect(pair.active.closed?.error == nil)
        #expect(there[0].body("a") == "{}" && here[1].body("b") == "{}")
        #expect(there[0].documents.count == 1 && there[1].documents.count == 1)

        let active = try SessionNode(ActiveSession(configuration), here)
        let passive = try SessionNode(PassiveSession(.init(collections: ["app.notes"])), [there[0]])
        active.start()
        try SessionRun.run(active, passive)
        #expect(active.closed?.error?.code == .collectionNotFound)
        #expect(active.closed?.error?.reason == "collection \"app.tasks\" is not found on the remote server")
    }

    @Test("a read-only peer refuses a push, and serves a pull")
    func readOnly() throws {
        let (here, there) = (MemoryStore(), MemoryStore())
        there.save("a", "{}")
        let pull = try SessionPair(.one(push: false), [here], [there], isReadOnly: true)
        try pull.run()
        #expect(pull.active.closed?.error == nil && here.body("a") == "{}")
        here.save("b", "{}")
        let push = try SessionPair(.one(pull: false, checkpointID: "cp-2"), [here], [there], isReadOnly: true)
        try push.run()
        #expect(push.active.closed?.error?.code == .http(403))
        #expect(push.active.closed?.code == 4_002)
    }

    @Test("a document that the pull filter refuses is reported, and the others go through")
    func pullFilter() throws {
        let (here, there) = (MemoryStore(), MemoryStore())
        there.save("a", "{}")
        there.save("b", "{}")
        here.pullFilter = { $0.documentID != "a" }
        let pair = try SessionPair(.one(push: false), [here], [there])
        try pair.run()
        #expect(pair.active.errors.mapValues(\.code) == ["a": .http(403)])
        #expect(here.currentRevisions.keys.sorted() == ["b"])
    }
}

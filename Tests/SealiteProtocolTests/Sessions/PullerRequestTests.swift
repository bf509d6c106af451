import SealiteRevisions
import Testing

@testable import SealiteProtocol
@testable import SealiteProtocolTestSupport

@Suite("puller and what it requested")
struct PullerRequestTests {
    private let three = #"[[1,"1","1-aa"],[2,"2","1-aa"],[3,"3","1-aa"]]"#

    @Test("revisions that weren't asked for, or can't be read, move no sequence that wasn't announced")
    func hostileRevisions() throws {
        var driven = DrivenPuller()
        _ = (driven.begin(), try driven.want(#"[[1,"1","1-aa"]]"#, count: 1))
        #expect(driven.receive(["id": "7", "rev": "1-aa", "sequence": "7"]).refused.values.sorted() == [403])
        #expect(driven.wake().isEmpty && driven.checkpoint == nil)
        #expect(driven.receiveNone(["id": "9", "rev": "1-aa", "sequence": "9"]).replied.count == 1)
        #expect(driven.receive(["id": "1", "rev": "nonsense", "sequence": "5"]).refused.values.sorted() == [400])
        #expect(driven.checkpoint == nil && driven.failures.isEmpty && driven.puller.isBusy)
        // The announced one that can't be read is passed over, once.
        let unreadable: BLIPProperties = ["id": "1", "rev": "nonsense", "sequence": "1"]
        let refused = driven.receive(unreadable)
        #expect(driven.record(refused).count == 1 && driven.record(driven.receive(unreadable)).isEmpty)
        #expect(driven.checkpoint == "1" && driven.puller.requested.isEmpty)
        #expect(driven.events.count { if case .advanced = $0 { true } else { false } } == 1)
        _ = driven.receiveNone(["rev": "1-aa"])
        #expect(driven.failures == [.protocolViolation])
    }

    @Test("a revision that wasn't requested is refused, counted, and not reported", arguments: [nil, ["1"]])
    func unrequested(_ documentIDs: [String]?) throws {
        var driven = DrivenPuller(documentIDs: documentIDs)
        _ = driven.begin()
        let compare = try #require(driven.announce(#"[[1,"1","1-aa"],[2,"2","1-aa"]]"#).stores.first)
        let rows = documentIDs?.count ?? 2
        _ = driven.finish(compare.task, .store(.compared([.wanted(ancestors: []), .known].prefix(rows).map { $0 })))
        var count: UInt64 = 0
        let refused: [(BLIPProperties, String)] = [
            // Announced and known, or left out; never announced; announced under another sequence.
            (["id": "2", "rev": "1-aa", "sequence": "2"], "{}"), (["id": "3", "rev": "1-aa", "sequence": "3"], "{}"),
            (["id": "1", "rev": "1-aa", "sequence": "2"], "{}"), (["id": "2", "rev": "2-bb", "sequence": "1"], "{}"),
            (["id": "2", "rev": "9-aa", "sequence": "2", "deleted": "1"], "{}"),
            (["id": "2", "rev": "1-aa", "sequence": "2", "error": "500"], ""),
        ]
        for (properties, body) in refused {
            let actions = driven.receive(properties, body)
            count += 1
            #expect(actions.refused.values.sorted() == [403] && actions.count == 1, "\(properties)")
            #expect(driven.puller.progress.outcomes.unrequested == count)
        }
        #expect(driven.receiveNone(["id": "2", "rev": "1-aa", "sequence": "2", "error": "500"]).reported.isEmpty)
        #expect(
            driven.reject(["id": "2", "rev": "1-aa", "sequence": "2"], BLIPError(.messageTooLarge, "large")).isEmpty)
        #expect(driven.wake().isEmpty && driven.failures.isEmpty)
        // The one that was requested goes through, once.
        #expect(try driven.pull(1).reported.map(\.documentID) == ["1"] && driven.checkpoint == "2")
        #expect(driven.receive(["id": "1", "rev": "1-aa", "sequence": "1"]).refused.values.sorted() == [403])
    }

    @Test(
        "a requested revision that this side refused is taken when it is sent once more",
        arguments: ["delta", "invalid", "busy", "too large", "attachment"])
    func sentAgain(_ way: String) throws {
        var driven = DrivenPuller()
        _ = (driven.begin(), try driven.want(#"[[1,"1","2-bb"]]"#, count: 1))
        let properties: BLIPProperties = ["id": "1", "rev": "2-bb", "sequence": "1"]
        var actions: [SessionAction]
        switch way {
        case "delta":
            var delta = properties
            delta["deltaSrc"] = "1-aa"
            _ = driven.receive(delta)
            let outcome = RevisionOutcome.deltaRefused(reason: "no base")
            actions = driven.finish(try #require(driven.wake().stores.first).task, .store(.inserted([outcome])))
            #expect(actions.refused.values.sorted() == [422])
        case "invalid":
            var invalid = properties
            invalid["history"] = "x,y"
            actions = driven.receive(invalid)
            #expect(actions.refused.values.sorted() == [400])
        case "too large": actions = driven.reject(properties, BLIPError(.messageTooLarge, "large"))
        case "busy":
            _ = driven.receive(properties)
            let failure = StoreFailure(isTransient: true, reason: "busy")
            actions = driven.finish(try #require(driven.wake().stores.first).task, .store(.failed(failure)))
            #expect(actions.refused.values.sorted() == [503])
        default:
            _ = driven.receive(properties)
            let digest = try #require(BlobDigest(bytes: [UInt8](repeating: 1, count: 20)))
            let outcome = RevisionOutcome.needsAttachments([AttachmentNeed(digest: digest, isCompressible: false)])
            let fetch = driven.finish(try #require(driven.wake().stores.first).task, .store(.inserted([outcome])))
            actions = driven.finish(try #require(fetch.fetches.first).task, .attachment(.corrupt))
            #expect(actions.refused.values.sorted() == [400])
        }
        let recorded = driven.record(actions)
        #expect(recorded.map(\.documentID) == (way == "delta" ? [] : ["1"]))
        #expect(driven.receive(properties).refused.isEmpty)
        let insertion = try #require(
            driven.wake().stores.first { if case .insert = $0.request { true } else { false } })
        let end = driven.finish(insertion.task, .store(.inserted([.inserted])))
        #expect(end.replied.count == 1 && driven.checkpoint == "1" && driven.puller.progress.outcomes.unrequested == 0)
        #expect(forgotten(end) == (way == "delta" ? [] : ["1"]))
    }

    @Test(
        "a message without a sequence ends the revision that it names, or those of its document",
        arguments: [true, false])
    func withoutSequence(_ isRevision: Bool) throws {
        var driven = DrivenPuller()
        _ = (driven.begin(), try driven.want(#"[[1,"1","1-aa"],[2,"1","2-bb"],[3,"2","1-aa"]]"#, count: 3))
        let steps: [(BLIPProperties, String?)] = [
            (["id": "3", "rev": "1-aa"], nil), (["id": "1", "rev": "2-bb"], nil), (["id": "1", "rev": "1-aa"], "2"),
            (["id": "2", "rev": "1-cc"], "3"),
        ]
        for (properties, checkpoint) in steps {
            let actions = isRevision ? driven.receive(properties) : driven.receiveNone(properties)
            _ = driven.record(actions)
            #expect(actions.refused.values.sorted() == (isRevision ? [400] : []) && driven.checkpoint == checkpoint)
        }
        #expect(driven.puller.requested.isEmpty && driven.failures.isEmpty)
    }

    @Test("a peer that can't send what it promised, or too much of it, is passed over and told")
    func brokenPromises() throws {
        var driven = DrivenPuller()
        _ = (driven.begin(), try driven.want(three, count: 3))
        let told = driven.receive(["id": "1", "rev": "1-aa", "sequence": "1", "error": "500"])
        #expect(told.replied.count == 1 && told.reported.map(\.error?.code) == [.http(502)])
        #expect(driven.record(told).map(\.code) == [502] && driven.checkpoint == "1")
        let properties: BLIPProperties = ["id": "2", "rev": "1-aa", "sequence": "2"]
        let rejected = driven.reject(properties, BLIPError(.messageTooLarge, "too large"))
        #expect(rejected.reported.count == 1 && driven.record(rejected).map(\.code) == [413])
        #expect(driven.checkpoint == "2")
        // A promise that a failure of the peer broke is no sign that the document is gone.
        let failed = driven.receiveNone(["id": "3", "rev": "1-aa", "sequence": "3", "error": "500"])
        #expect(driven.record(failed).map(\.code) == [502] && driven.checkpoint == "3")
    }
}

import SealiteRevisions
import Testing

@testable import SealiteProtocol
@testable import SealiteProtocolTestSupport

@Suite("what a puller couldn't store")
struct PullerRefusalTests {
    private let three = #"[[1,"1","1-aa"],[2,"2","1-aa"],[3,"3","1-aa"]]"#

    @Test("what couldn't be stored is passed over only once that is recorded", arguments: [true, false])
    func failures(_ isTransient: Bool) throws {
        var driven = DrivenPuller()
        _ = (driven.begin(), try driven.want(#"[[1,"1","1-aa"]]"#, count: 1))
        _ = driven.receive(["id": "1", "rev": "1-aa", "sequence": "1"])
        let insertion = try #require(driven.wake().stores.first)
        let actions = driven.finish(
            insertion.task, .store(.failed(StoreFailure(isTransient: isTransient, reason: "failed"))))
        #expect(actions.refused.values.sorted() == [isTransient ? 503 : 500])
        _ = try driven.announce("[]")
        #expect(driven.checkpoint == nil && driven.puller.requested.isEmpty && driven.puller.refusals.isBusy)
        let recorded = driven.record(actions)
        #expect(recorded.map(\.documentID) == ["1"] && recorded.map(\.isCuredByTime) == [isTransient])
        #expect(recorded.map(\.side) == [.local] && recorded.map(\.version.text) == ["1-aa"])
        #expect(driven.checkpoint == "1" && driven.failures.isEmpty && !driven.puller.refusals.isBusy)
    }

    @Test("refusals of this side are recorded with their codes, and those of the filter aren't")
    func recordedRefusals() throws {
        for (outcome, domain, code, isCured) in [
            (.refused(status: 400, reason: "deep"), "HTTP", 400, false),
            (.refused(status: 413, reason: "large"), "HTTP", 413, false),
            (.refused(status: 500, reason: "defect"), "HTTP", 500, false),
            (.aheadOfClock(reason: "in 2036"), Refusal.ownDomain, Refusal.aheadOfClockCode, true),
        ] as [(RevisionOutcome, String, Int, Bool)] {
            var driven = DrivenPuller()
            _ = (driven.begin(), try driven.want(#"[[1,"1","1-aa"]]"#, count: 1))
            let recorded = driven.record(try driven.pull(1, outcome))
            #expect(recorded.map(\.domain) == [domain] && recorded.map(\.code) == [code])
            #expect(recorded.map(\.isCuredByTime) == [isCured] && driven.checkpoint == "1")
        }
        var driven = DrivenPuller()
        _ = (driven.begin(), try driven.want(#"[[1,"1","1-aa"]]"#, count: 1))
        let filtered = try driven.pull(1, .refused(status: 403, reason: "filter"))
        #expect(filtered.stores.isEmpty && driven.checkpoint == "1")
    }

    @Test("the checkpoint stops at the first refusal that finds no room, and what follows is pulled")
    func noRoom() throws {
        var driven = DrivenPuller()
        _ = (driven.begin(), try driven.want(three, count: 3))
        _ = driven.record(try driven.pull(1, .refused(status: 400, reason: "")))
        _ = driven.record(try driven.pull(2, .refused(status: 400, reason: "")), left: [0])
        _ = try driven.pull(3)
        _ = try driven.announce("[]")
        #expect(driven.checkpoint == "1" && driven.failures.isEmpty)
        #expect(driven.puller.requested.isEmpty && !driven.puller.refusals.isBusy)
    }

    @Test("a refusal that can't be recorded ends the session")
    func unrecorded() throws {
        var driven = DrivenPuller()
        _ = (driven.begin(), try driven.want(#"[[1,"1","1-aa"]]"#, count: 1))
        let store = try #require(driven.pull(1, .refused(status: 400, reason: "")).stores.first)
        _ = driven.finish(store.task, .store(.failed(StoreFailure(isTransient: true, reason: "full"))))
        #expect(driven.checkpoint == nil && driven.failures == [.storage])
    }

    @Test("a refusal goes when the document arrives, is known, or access to it is lost")
    func settled() throws {
        var driven = DrivenPuller(unstoredIDs: ["1", "2", "3", "4"])
        _ = driven.begin()
        let removal = try #require(driven.announce(#"[[1,"1","1-aa",2],[2,"2","1-aa"],[3,"3","1-aa"]]"#).stores.first)
        let compare = driven.finish(removal.task, .store(.accessRemoved([true])))
        #expect(forgotten(compare) == ["1"])
        let task = try #require(compare.stores.first { if case .compare = $0.request { true } else { false } }).task
        let known = driven.finish(task, .store(.compared([.known, .wanted(ancestors: [])])))
        // One removal at a time.
        #expect(forgotten(known).isEmpty)
        let forgetting = try #require(
            compare.stores.first { if case .forgetRefusals = $0.request { true } else { false } })
        let next = driven.finish(forgetting.task, .store(.done))
        #expect(forgotten(next) == ["2"])
        _ = driven.finish(try #require(next.stores.first).task, .store(.done))
        #expect(forgotten(try driven.pull(3)) == ["3"])
    }

    @Test("a document that is refused and then arrives in a newer revision has no refusal in the end")
    func refusedThenStored() throws {
        var driven = DrivenPuller()
        _ = (driven.begin(), try driven.want(#"[[1,"1","1-aa"],[2,"1","2-bb"]]"#, count: 2))
        _ = driven.receive(["id": "1", "rev": "1-aa", "sequence": "1"])
        _ = driven.receive(["id": "1", "rev": "2-bb", "sequence": "2"])
        let first = try #require(driven.wake().stores.first)
        let actions = driven.finish(first.task, .store(.inserted([.refused(status: 400, reason: "")])))
        let insertion = try #require(actions.stores.first { if case .insert = $0.request { true } else { false } })
        #expect(forgotten(driven.finish(insertion.task, .store(.inserted([.inserted])))).isEmpty)
        let record = try #require(actions.stores.first { if case .recordRefusals = $0.request { true } else { false } })
        #expect(forgotten(driven.finish(record.task, .store(.refusalsRecorded(left: [])))) == ["1"])
        #expect(driven.checkpoint == "2")
    }

    @Test("a second attempt asks for its documents from the beginning, and forgets those that the peer doesn't have")
    func secondAttempt() throws {
        var driven = DrivenPuller(documentIDs: ["1", "2", "3"], unstoredIDs: ["1", "2", "3"], isSecondAttempt: true)
        let subscription = try #require(driven.begin().sent(.subChanges).first)
        #expect(subscription.message.properties["since"] == nil)
        #expect(subscription.message.properties["activeOnly"] == nil)
        #expect(String(decoding: subscription.message.body, as: UTF8.self) == #"{"docIDs":["1","2","3"]}"#)
        _ = driven.finish(subscription.task, .reply(BLIPReply()))
        _ = try driven.want(#"[[1,"1","1-aa"],[2,"2","1-aa"]]"#, count: 2)
        #expect(forgotten(try driven.pull(1)) == ["1"])
        let refused = try driven.pull(2, .aheadOfClock(reason: ""))
        #expect(driven.puller.isBusy)
        // The one removal is in progress still.
        let last = try driven.announce("[]")
        #expect(last.stores.isEmpty && !refused.stores.isEmpty)
        #expect(driven.puller.unannounced.isEmpty)
    }

    @Test("a revision without a sequence that is refused for now is recorded")
    func leftWithoutSequence() throws {
        var driven = DrivenPuller()
        _ = (driven.begin(), try driven.want(#"[[1,"1","1-aa"]]"#, count: 1))
        let actions = driven.reject(["id": "1", "rev": "1-aa"], BLIPError(.tooMuchAtOnce, "no room"))
        #expect(driven.puller.requested.isEmpty && driven.checkpoint == nil)
        #expect(driven.record(actions).map(\.code) == [503] && driven.checkpoint == "1")
    }
}

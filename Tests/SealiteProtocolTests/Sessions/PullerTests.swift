import SealiteRevisions
import Testing

@testable import SealiteProtocol
@testable import SealiteProtocolTestSupport

/// A puller whose peer and database are played by hand.
private struct DrivenPuller {
    var puller: Puller
    private var actions = SessionActions()
    private var lastNumber: UInt64 = 0
    private(set) var events: [Puller.Event] = []
    let start = ContinuousClock.now

    init(
        limits: SessionLimits = SessionLimits(), documentIDs: [String]? = nil, isAutoPurging: Bool = true,
        unstoredIDs: [String] = [], isSecondAttempt: Bool = false
    ) {
        var configuration = SessionConfiguration.one(push: false)
        configuration.limits = limits
        configuration.isAutoPurging = isAutoPurging
        configuration.collections[0].documentIDs = documentIDs
        configuration.collections[0].unstoredIDs = unstoredIDs
        configuration.collections[0].isSecondAttempt = isSecondAttempt
        puller = Puller(configuration, collection: 0, isLegacy: true)
    }

    /// The sequence through which all is pulled, by the events so far.
    var checkpoint: String? {
        events.reduce(nil) { if case .advanced(let sequence) = $1 { sequence?.json } else { $0 } }
    }

    var failures: [SessionError.Code] {
        events.compactMap { if case .failed(let error) = $0 { error.code } else { nil } }
    }

    mutating func begin(since: UInt64? = nil, reofferedThrough: UInt64? = nil) -> [SessionAction] {
        var checkpoint = Checkpoint()
        checkpoint.remote = since.map { RemoteSequence($0) }
        checkpoint.reofferedThrough = reofferedThrough
        puller.begin(checkpoint, &actions)
        return actions.takeActions()
    }

    /// Receives a list with the JSON of its rows.
    mutating func announce(_ json: String) throws -> [SessionAction] {
        let request = request(["Profile": "changes"], json)
        let message = try ChangesRequest(request, limits: MessageLimits())
        events += puller.receiveChanges(request, message, &actions)
        return actions.takeActions()
    }

    mutating func receive(_ properties: BLIPProperties, _ body: String = "{}") -> [SessionAction] {
        events += puller.receiveRevision(request(properties, body), at: start, &actions)
        return actions.takeActions()
    }

    mutating func receiveNone(_ properties: BLIPProperties) -> [SessionAction] {
        events += puller.receiveNoRevision(request(properties, ""), &actions)
        return actions.takeActions()
    }

    mutating func reject(_ properties: BLIPProperties, _ error: BLIPError) -> [SessionAction] {
        events += puller.rejectRevision(request(properties, ""), error, &actions)
        return actions.takeActions()
    }

    mutating func finish(_ task: TaskID, _ result: TaskResult) -> [SessionAction] {
        events += puller.finished(task, result, &actions)
        return actions.takeActions()
    }

    mutating func wake() -> [SessionAction] {
        puller.wake(at: start.advanced(by: .seconds(1)), &actions)
        return actions.takeActions()
    }

    /// Announces rows, of which the database wants each.
    mutating func want(_ json: String, count: Int) throws -> [SessionAction] {
        let compare = try #require(announce(json).stores.first)
        let verdicts = [AnnouncementDecision](repeating: .wanted(ancestors: []), count: count)
        return finish(compare.task, .store(.compared(verdicts)))
    }

    /// Receives a revision and inserts it.
    mutating func pull(_ sequence: Int, _ outcome: RevisionOutcome = .inserted) throws -> [SessionAction] {
        _ = receive(["id": "\(sequence)", "rev": "1-aa", "sequence": "\(sequence)"])
        let insertion = try #require(wake().stores.first)
        return finish(insertion.task, .store(.inserted([outcome])))
    }

    /// Stores the refusals that actions ask to be recorded, but those at the positions `left`, and returns them.
    mutating func record(_ actions: [SessionAction], left: [Int] = []) -> [Refusal] {
        for store in actions.stores {
            guard case .recordRefusals(let refusals) = store.request else { continue }
            _ = finish(store.task, .store(.refusalsRecorded(left: left)))
            return refusals
        }
        return []
    }

    private mutating func request(_ properties: BLIPProperties, _ body: String) -> BLIPRequest {
        lastNumber += 1
        return BLIPRequest(number: lastNumber, properties: properties, body: Array(body.utf8))
    }
}

@Suite("puller")
struct PullerTests {
    private let three = #"[[1,"1","1-aa"],[2,"2","1-aa"],[3,"3","1-aa"]]"#

    @Test("a change is subscribed to, compared, asked for, inserted, answered, and only then counts as pulled")
    func order() throws {
        var driven = DrivenPuller()
        let subscription = try #require(driven.begin(since: 7).sent(.subChanges).first)
        #expect(subscription.message.properties["since"] == "7")
        #expect(driven.finish(subscription.task, .reply(BLIPReply())).isEmpty)
        let announced = try driven.announce(#"[[8,"8","2-bb"],[9,"9","1-aa"]]"#)
        let compare = try #require(announced.stores.first)
        #expect(announced.count == 1)
        let wanted = AnnouncementDecision.wanted(ancestors: [Version("1-aa")])
        let answer = driven.finish(compare.task, .store(.compared([wanted, .known])))
        let bodies = answer.compactMap { action in
            if case .reply(_, let message) = action { String(decoding: message.body, as: UTF8.self) } else { nil }
        }
        #expect(bodies == [#"[["1-aa"]]"#] && driven.checkpoint == nil)
        #expect(driven.receive(["id": "8", "rev": "2-bb", "sequence": "8", "history": "1-aa"]).isEmpty)
        let insertion = try #require(driven.wake().stores.first)
        #expect(driven.checkpoint == nil && driven.puller.isBusy)
        let end = driven.finish(insertion.task, .store(.inserted([.inserted])))
        #expect(end.replied.count == 1 && end.reported.map(\.documentID) == ["8"] && driven.checkpoint == "9")
        #expect(driven.puller.isBusy)
        _ = try driven.announce("[]")
        #expect(!driven.puller.isBusy && driven.puller.isCaughtUp && driven.failures.isEmpty)
    }

    /// Of the peers only a Sync Gateway names the type of a body.
    @Test("a Sync Gateway's tree ids after a version begin with the revision's own", arguments: [true, false])
    func ownTreeID(isGateway: Bool) throws {
        var driven = DrivenPuller()
        _ = driven.begin()
        _ = try driven.want(#"[[1,"1","1@AAAAAAAAAAAAAAAAAAAAAA"]]"#, count: 1)
        var properties: BLIPProperties = ["id": "1", "rev": "1@AAAAAAAAAAAAAAAAAAAAAA", "sequence": "1"]
        properties["history"] = "1-aa"
        if isGateway { properties["Content-Type"] = "application/json" }
        _ = driven.receive(properties)
        guard case .insert(let revisions, _)? = driven.wake().stores.first?.request else {
            Issue.record("nothing is stored")
            return
        }
        #expect(revisions.map(\.namesOwnTreeID) == [isGateway])
    }

    @Test("the checkpoint names the last sequence before the first that is unfinished, whatever comes first")
    func outOfOrder() throws {
        var driven = DrivenPuller()
        _ = (driven.begin(), try driven.want(three, count: 3))
        _ = try driven.pull(3)
        #expect(driven.checkpoint == nil)
        _ = try driven.pull(1)
        #expect(driven.checkpoint == "1")
        // That it won't come is as good.
        #expect(driven.receiveNone(["id": "2", "rev": "1-aa", "sequence": "2", "error": "404"]).replied.count == 1)
        #expect(driven.checkpoint == "3")
    }

    @Test("lists are compared two at a time, and not while very many revisions are on their way")
    func backPressure() throws {
        var limits = SessionLimits()
        limits.requestedRevisions = 3
        var driven = DrivenPuller(limits: limits)
        _ = driven.begin()
        let first = try #require(driven.announce(three).stores.first)
        let second = try #require(driven.announce(#"[[4,"4","1-aa"]]"#).stores.first)
        #expect(try driven.announce(#"[[5,"5","1-aa"]]"#).isEmpty)
        let wanted = AnnouncementDecision.wanted(ancestors: [])
        #expect(driven.finish(first.task, .store(.compared([wanted, wanted, wanted]))).stores.isEmpty)
        #expect(driven.finish(second.task, .store(.compared([wanted]))).stores.isEmpty)
        #expect(try driven.pull(1).stores.isEmpty)
        // Below the limit the next one has its turn.
        let third = try driven.pull(2).stores
        #expect(third.count == 1 && driven.puller.waitingLists.isEmpty)
    }

    @Test("a peer that sends lists without waiting for their answers ends the session")
    func tooManyLists() throws {
        var limits = SessionLimits()
        limits.waitingLists = 3
        var driven = DrivenPuller(limits: limits)
        _ = driven.begin()
        for sequence in 1...5 { _ = try driven.announce(#"[[\#(sequence),"\#(sequence)","1-aa"]]"#) }
        #expect(driven.failures.isEmpty)
        _ = try driven.announce(#"[[6,"6","1-aa"]]"#)
        #expect(driven.failures == [.protocolViolation])
    }

    @Test("lost access purges before the rest of its list, and what comes after it, is compared")
    func lostAccess() throws {
        var driven = DrivenPuller()
        _ = driven.begin()
        let removal = try driven.announce(#"[[1,"1","1-aa",2],[2,"2","1-aa"]]"#).stores
        guard case .removeAccess(let rows)? = removal.first?.request else {
            Issue.record("not purged")
            return
        }
        #expect(rows.map(\.documentID) == ["1"] && removal.count == 1)
        #expect(try driven.announce(#"[[3,"1","2-bb"]]"#).isEmpty)
        let actions = driven.finish(try #require(removal.first).task, .store(.accessRemoved([true])))
        #expect(driven.checkpoint == "1")
        #expect(actions.reported.map(\.isAccessRemoved) == [true])
        #expect(driven.puller.progress.outcomes.removed == 1 && driven.puller.progress.outcomes.pulled == 0)
        guard let compare = actions.stores.first, case .compare(let rest) = compare.request else {
            Issue.record("the rest isn't compared")
            return
        }
        #expect(rest.map(\.documentID) == ["2"] && actions.stores.count == 1)
        let next = driven.finish(compare.task, .store(.compared([.known]))).stores
        guard case .compare(let later)? = next.first?.request else {
            Issue.record("the list after it isn't compared")
            return
        }
        #expect(later.map(\.documentID) == ["1"])
    }

    @Test("lost access to a document whose revision is on its way waits until that is inserted")
    func lostWhileAwaited() throws {
        var driven = DrivenPuller()
        _ = (driven.begin(), try driven.want(#"[[1,"1","1-aa"]]"#, count: 1))
        _ = driven.receive(["id": "1", "rev": "1-aa", "sequence": "1"])
        // It is inserted at once, without the time for others.
        let insertion = try #require(driven.announce(#"[[2,"1","1-aa",2]]"#).stores.first)
        guard case .insert = insertion.request else {
            Issue.record("purged before it was inserted")
            return
        }
        let removal = driven.finish(insertion.task, .store(.inserted([.inserted]))).stores
        guard case .removeAccess? = removal.first?.request else {
            Issue.record("not purged")
            return
        }
    }

    /// The versions that are inserted.
    private func inserted(_ actions: [SessionAction]) -> [String] {
        actions.stores.flatMap { store -> [String] in
            if case .insert(let revisions, _) = store.request { revisions.map(\.version.text) } else { [] }
        }
    }

    @Test("a document's later revision waits until the earlier one is stored or has failed", arguments: [true, false])
    func laterRevision(_ isFetched: Bool) throws {
        var driven = DrivenPuller()
        _ = (driven.begin(), try driven.want(#"[[1,"1","1-aa"]]"#, count: 1))
        _ = try driven.want(#"[[2,"1","1-bb"]]"#, count: 1)
        for (version, sequence) in [("1-aa", "1"), ("1-bb", "2")] {
            #expect(driven.receive(["id": "1", "rev": version, "sequence": sequence]).isEmpty)
        }
        let first = driven.wake()
        #expect(inserted(first) == ["1-aa"] && driven.puller.receiver.heldByteCount > 0)
        let digest = try #require(BlobDigest(bytes: [UInt8](repeating: 1, count: 20)))
        let outcome = RevisionOutcome.needsAttachments([AttachmentNeed(digest: digest, isCompressible: false)])
        let waiting = driven.finish(try #require(first.stores.first).task, .store(.inserted([outcome])))
        #expect(waiting.stores.isEmpty)
        let fetch = try #require(waiting.fetches.first)
        var actions = driven.finish(fetch.task, .attachment(isFetched ? .stored : .corrupt))
        if isFetched {
            #expect(inserted(actions) == ["1-aa"])
            actions = driven.finish(try #require(actions.stores.first).task, .store(.inserted([.inserted])))
        }
        #expect(inserted(actions) == ["1-bb"])
        _ = driven.record(actions)
        actions = driven.finish(try #require(actions.stores.last).task, .store(.inserted([.inserted])))
        #expect(actions.replied.count == 1 && driven.checkpoint == "2" && driven.puller.requested.isEmpty)
        #expect(driven.puller.receiver.heldByteCount == 0 && !driven.puller.receiver.isBusy)
    }

    @Test("a document's later revision that arrives first waits for the earlier one, or until that isn't sent")
    func laterRevisionFirst() throws {
        var driven = DrivenPuller()
        _ = (driven.begin(), try driven.want(#"[[1,"1","1-aa"],[2,"1","1-bb"],[3,"2","1-aa"]]"#, count: 3))
        #expect(driven.receive(["id": "1", "rev": "1-bb", "sequence": "2"]).isEmpty)
        _ = driven.receive(["id": "2", "rev": "1-aa", "sequence": "3"])
        let other = driven.wake()
        #expect(inserted(other) == ["1-aa"])
        _ = driven.finish(try #require(other.stores.first).task, .store(.inserted([.inserted])))
        let actions = driven.receiveNone(["id": "1", "rev": "1-aa", "sequence": "1"])
        #expect(inserted(actions) == ["1-bb"] && driven.checkpoint == "1")
        _ = driven.finish(try #require(actions.stores.first).task, .store(.inserted([.inserted])))
        #expect(driven.checkpoint == "3" && driven.puller.requested.isEmpty)
    }

    @Test("the database is told that the peer may have lost documents", arguments: [nil, 7] as [UInt64?])
    func afterLoss(_ reofferedThrough: UInt64?) throws {
        var driven = DrivenPuller()
        _ = (driven.begin(reofferedThrough: reofferedThrough), try driven.want(#"[[1,"1","1-aa"]]"#, count: 1))
        _ = driven.receive(["id": "1", "rev": "1-aa", "sequence": "1"])
        guard case .insert(let revisions, _)? = driven.wake().stores.first?.request else {
            Issue.record("not inserted")
            return
        }
        #expect(revisions.map(\.isAfterLoss) == [reofferedThrough != nil])
    }

    @Test("who doesn't purge, or pulls some documents only, is told of lost access and keeps the document")
    func keptDocuments() throws {
        for driven in [DrivenPuller(isAutoPurging: false), DrivenPuller(documentIDs: ["1"])] {
            var driven = driven
            _ = driven.begin()
            let actions = try driven.announce(#"[[1,"1","1-aa",2],[2,"2","1-aa"]]"#)
            guard case .compare(let rows)? = actions.stores.first?.request else {
                Issue.record("not compared")
                return
            }
            let isFiltered = driven.puller.documentFilter != nil
            #expect(rows.map(\.documentID) == (isFiltered ? [] : ["2"]))
            #expect(actions.reported.map(\.documentID) == ["1"] && driven.checkpoint == "1")
        }
    }

    @Test("conflicts, refusals and bodies that take access away end their sequences, and are told")
    func outcomes() throws {
        for (outcome, code, isAccessRemoved) in [
            (.conflict, .conflict, false), (.refused(status: 403, reason: "no"), .http(403), false),
            (.accessRemoved(isPurged: true), nil, true), (.known, nil, false),
        ] as [(RevisionOutcome, SessionError.Code?, Bool)] {
            var driven = DrivenPuller()
            _ = (driven.begin(), try driven.want(#"[[1,"1","1-aa"]]"#, count: 1))
            let reported = try driven.pull(1, outcome).reported
            #expect(driven.puller.progress.outcomes.removed == (isAccessRemoved ? 1 : 0))
            #expect(driven.puller.progress.outcomes.pulled == 0)
            #expect(driven.checkpoint == "1")
            guard outcome != .known else {
                #expect(reported.isEmpty)
                continue
            }
            #expect(reported.map(\.error?.code) == [code] && reported.map(\.isAccessRemoved) == [isAccessRemoved])
        }
    }

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

    /// The documents whose refusals actions ask to be removed.
    private func forgotten(_ actions: [SessionAction]) -> [String] {
        actions.stores.flatMap { store -> [String] in
            if case .forgetRefusals(let ids, .local) = store.request { ids.sorted() } else { [] }
        }
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

    @Test("a database that can't compare ends the session, and the list is refused")
    func failedComparison() throws {
        var driven = DrivenPuller()
        _ = driven.begin()
        let compare = try #require(driven.announce(three).stores.first)
        let actions = driven.finish(compare.task, .store(.failed(StoreFailure(isTransient: true, reason: "busy"))))
        #expect(actions.refused.values.sorted() == [503] && driven.failures == [.storage] && driven.checkpoint == nil)
    }

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
            actions = driven.receive(delta)
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

    @Test("a revision without a sequence that is refused for now is recorded")
    func leftWithoutSequence() throws {
        var driven = DrivenPuller()
        _ = (driven.begin(), try driven.want(#"[[1,"1","1-aa"]]"#, count: 1))
        let actions = driven.reject(["id": "1", "rev": "1-aa"], BLIPError(.tooMuchAtOnce, "no room"))
        #expect(driven.puller.requested.isEmpty && driven.checkpoint == nil)
        #expect(driven.record(actions).map(\.code) == [503] && driven.checkpoint == "1")
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

    @Test("fewer verdicts than rows leave the rest unwanted, more of them are ignored", arguments: [0, 1, 9])
    func otherCounts(_ count: Int) throws {
        var driven = DrivenPuller()
        _ = driven.begin()
        let compare = try #require(driven.announce(three).stores.first)
        let verdicts = [AnnouncementDecision](repeating: .known, count: count)
        #expect(driven.finish(compare.task, .store(.compared(verdicts))).replied.count == 1)
        #expect(driven.checkpoint == "3")
        #expect(driven.finish(TaskID(value: 1_000), .store(.compared(verdicts))).isEmpty)
    }

    /// Plays peer and database for a number of results, and then loses the connection.
    ///
    /// - Returns: the checkpoint at that time.
    private func run(_ stepCount: Int, since: UInt64, _ stored: inout Set<String>) throws -> UInt64 {
        var driven = DrivenPuller()
        var queue = driven.begin(since: since)[...]
        var (steps, isAnnounced) = (0, false)
        while steps < stepCount {
            steps += 1
            guard let action = queue.popFirst() else {
                queue += driven.wake()
                guard queue.isEmpty else { continue }
                break
            }
            switch action {
            case .send(_, let task):
                queue += driven.finish(task, .reply(BLIPReply()))
                let rows = (1...6).filter { $0 > since }.map { #"[\#($0),"\#($0)","1-aa"]"# }.joined(separator: ",")
                if !isAnnounced, !rows.isEmpty { queue += try driven.announce("[\(rows)]") }
                isAnnounced = true
            case .store(.compare(let rows), _, let task):
                let verdicts = rows.map { row -> AnnouncementDecision in
                    stored.contains(row.documentID) ? .known : .wanted(ancestors: [])
                }
                queue += driven.finish(task, .store(.compared(verdicts)))
                // The last one comes first.
                for row in rows.reversed() where !stored.contains(row.documentID) {
                    let properties: BLIPProperties = [
                        "id": row.documentID, "rev": row.version.text, "sequence": row.sequence.json,
                    ]
                    queue += driven.receive(properties)
                    if row.documentID == "4" { queue += driven.wake() }
                }
            case .store(.insert(let revisions, _), _, let task):
                stored.formUnion(revisions.map(\.documentID))
                let outcomes = [RevisionOutcome](repeating: .inserted, count: revisions.count)
                queue += driven.finish(task, .store(.inserted(outcomes)))
            default: break
            }
        }
        return driven.checkpoint.flatMap { UInt64($0) } ?? since
    }

    @Test("a connection that is lost after any step loses no document")
    func lostConnection() throws {
        for stepCount in 0..<14 {
            var stored: Set<String> = []
            let checkpoint = try run(stepCount, since: 0, &stored)
            for sequence in 0..<checkpoint { #expect(stored.contains("\(sequence + 1)"), "after \(stepCount) steps") }
            #expect(try run(100, since: checkpoint, &stored) == 6 && stored.count == 6, "after \(stepCount) steps")
        }
    }
}

import SealiteRevisions
import Testing

@testable import SealiteProtocol
@testable import SealiteProtocolTestSupport

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

    @Test("a database that can't compare ends the session, and the list is refused")
    func failedComparison() throws {
        var driven = DrivenPuller()
        _ = driven.begin()
        let compare = try #require(driven.announce(three).stores.first)
        let actions = driven.finish(compare.task, .store(.failed(StoreFailure(isTransient: true, reason: "busy"))))
        #expect(actions.refused.values.sorted() == [503] && driven.failures == [.storage] && driven.checkpoint == nil)
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

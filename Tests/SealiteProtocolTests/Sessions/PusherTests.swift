import SealiteRevisions
import Testing

@testable import SealiteProtocol
@testable import SealiteProtocolTestSupport

/// A pusher whose database and peer are played by hand.
struct DrivenPusher {
    var pusher: Pusher
    private var actions = SessionActions()
    /// The completed sequences according to the events so far.
    private(set) var checkpoint: Checkpoint
    private(set) var failures: [SessionError] = []
    private(set) var overflow: UInt64?

    init(
        from checkpoint: Checkpoint = Checkpoint(), push: Bool = true, pull: Bool = false,
        limits: SessionLimits = SessionLimits()
    ) {
        var configuration = SessionConfiguration.one(push: push, pull: pull)
        configuration.limits = limits
        pusher = Pusher(configuration, collection: 0, isLegacy: true)
        self.checkpoint = checkpoint
    }

    /// Begins, and takes what was asked for.
    mutating func begin() -> [SessionAction] {
        pusher.begin(checkpoint, &actions)
        return actions.takeActions()
    }

    mutating func localChanged() -> [SessionAction] {
        pusher.localChanged(&actions)
        return actions.takeActions()
    }

    mutating func pulled(_ documentID: String, _ version: String) -> [SessionAction] {
        pusher.pulled(documentID, Version(version), &actions)
        return actions.takeActions()
    }

    /// Ends a task, and takes what was asked for next.
    mutating func finish(_ task: TaskID, _ result: TaskResult) -> [SessionAction] {
        for event in pusher.finished(task, result, completed: checkpoint.completed, &actions) {
            switch event {
            case .completed(let range): checkpoint.completed.insert(range)
            case .pending(let sequence): checkpoint.completed.remove(sequence)
            case .overflowed(let sequence): overflow = sequence
            case .failed(let error): failures.append(error)
            }
        }
        return actions.takeActions()
    }

    /// Begins with a page of all changes, and answers the list that proposes them.
    mutating func propose(_ changes: [LocalChange], answer: String) throws -> [SessionAction] {
        let scan = try #require(begin().scans.first)
        let page = ChangePage(changes: changes, scannedThrough: changes.last?.sequence ?? 0, isEnd: true)
        let list = try #require(finish(scan.task, .store(.changes(page))).sent(.proposeChanges).first)
        return finish(list.task, .reply(BLIPReply(json: answer)))
    }
}

@Suite("pusher")
struct PusherTests {
    private func outgoing(_ change: LocalChange) -> LoadedRevision {
        .found(OutgoingRevision(version: change.version, history: [], isDeleted: false, body: Array("{}".utf8)))
    }

    private func page(_ sequences: ClosedRange<UInt64>, isEnd: Bool, byteCount: UInt64 = 10) -> TaskResult {
        let changes = sequences.map { LocalChange($0, byteCount: byteCount) }
        return .store(.changes(ChangePage(changes: changes, scannedThrough: sequences.upperBound, isEnd: isEnd)))
    }

    /// Of the peers only a Sync Gateway doesn't find blobs in a body.
    @Test("tree ids are left out for a peer that doesn't find blobs", arguments: [true, false])
    func treeIDs(findsBlobs: Bool) throws {
        var driven = DrivenPusher()
        let scan = try #require(driven.begin().scans.first)
        let list = try #require(driven.finish(scan.task, page(1...1, isEnd: true)).sent(.proposeChanges).first)
        let answer = BLIPReply(properties: findsBlobs ? ["blobs": "true"] : [:], body: Array("[0]".utf8))
        let queries = driven.finish(list.task, .reply(answer)).stores.compactMap { store in
            if case .loadRevisions(let queries) = store.request { queries } else { nil }
        }
        #expect(queries.joined().map(\.omitsOldTreeIDs) == [!findsBlobs])
    }

    /// Begins with a change of which the peer has an earlier revision, and answers its proposal.
    private func wanted(_ driven: inout DrivenPusher, _ properties: BLIPProperties) throws -> (TaskID, [RevisionQuery])
    {
        let change = LocalChange(1, remote: "1-aa")
        let scan = try #require(driven.begin().scans.first)
        let page = ChangePage(changes: [change], scannedThrough: 1, isEnd: true)
        let list = try #require(driven.finish(scan.task, .store(.changes(page))).sent(.proposeChanges).first)
        let actions = driven.finish(list.task, .reply(BLIPReply(properties: properties, body: Array("[0]".utf8))))
        return try load(actions)
    }

    private func load(_ actions: [SessionAction]) throws -> (TaskID, [RevisionQuery]) {
        for store in actions.stores {
            if case .loadRevisions(let queries) = store.request { return (store.task, queries) }
        }
        throw TranscriptError.malformed(actions.count)
    }

    @Test("a peer is sent deltas only if it says that it takes them", arguments: [nil, "true", "false"])
    func takesDeltas(_ text: String?) throws {
        var driven = DrivenPusher()
        var properties: BLIPProperties = ["blobs": "true"]
        properties["deltas"] = text
        let (_, queries) = try wanted(&driven, properties)
        #expect(queries.map(\.takesDelta) == [text == "true"])
        #expect(queries.map { $0.knownAncestors.map(\.text) } == [["1-aa"]])
    }

    @Test(
        "a refused delta is followed by the whole body, and the change is completed only then", arguments: [422, 404])
    func refusedDelta(_ status: Int) throws {
        var driven = DrivenPusher()
        let (task, _) = try wanted(&driven, ["blobs": "true", "deltas": "true"])
        let change = LocalChange(1, remote: "1-aa")
        var delta = OutgoingRevision(version: change.version, history: [], isDeleted: false, body: Array("{}".utf8))
        delta.delta = OutgoingDelta(source: Version("1-aa"), savedByteCount: 100)
        let sent = try #require(driven.finish(task, .store(.revisions([.found(delta)]))).sent(.rev).first)
        #expect(sent.message.properties["deltaSrc"] == "1-aa")
        let (again, queries) = try load(driven.finish(sent.task, .reply(BLIPReply(status: status))))
        #expect(queries.map(\.takesDelta) == [false] && !driven.checkpoint.completed.contains(1))
        let whole = try #require(driven.finish(again, .store(.revisions([outgoing(change)]))).sent(.rev).first)
        #expect(whole.message.properties["deltaSrc"] == nil)
        let end = driven.finish(whole.task, .reply(BLIPReply()))
        _ = driven.finish(try #require(end.stores.first).task, .store(.synced(conflicting: [])))
        #expect(driven.checkpoint.completed.contains(1) && !driven.pusher.isBusy)
        let counts = driven.pusher.progress.outcomes.deltas
        #expect(counts.fallbacks == 1 && counts.sent == 0 && driven.pusher.progress.outcomes.pushed == 1)
    }

    @Test("a conflict is no refusal of a delta")
    func conflictOfDelta() throws {
        var driven = DrivenPusher()
        let (task, _) = try wanted(&driven, ["blobs": "true", "deltas": "true"])
        var delta = OutgoingRevision(version: Version("2-aa"), history: [], isDeleted: false, body: Array("{}".utf8))
        delta.delta = OutgoingDelta(source: Version("1-aa"), savedByteCount: 100)
        let sent = try #require(driven.finish(task, .store(.revisions([.found(delta)]))).sent(.rev).first)
        let actions = driven.finish(sent.task, .reply(BLIPReply(status: 409)))
        #expect(!actions.stores.contains { if case .loadRevisions = $0.request { true } else { false } })
        #expect(driven.pusher.progress.outcomes.deltas.fallbacks == 0)
    }

    @Test("a change is found, proposed, loaded, sent, recorded as the peer's, and only then completed, in this order")
    func order() throws {
        var driven = DrivenPusher()
        let scan = try #require(driven.begin().scans.first)
        #expect(scan.scan.after == 0 && scan.scan.isForPush && scan.scan.activeOnlyThrough == 0)
        let list = driven.finish(scan.task, page(1...2, isEnd: true)).sent(.proposeChanges)
        #expect(
            list.map { String(decoding: $0.message.body, as: UTF8.self) } == [
                #"[["1","1-aa","",10],["2","1-aa","",10]]"#
            ])
        #expect(driven.checkpoint.completed.contiguousThrough == 0)
        // The second one is there already.
        let loads = driven.finish(try #require(list.first).task, .reply(BLIPReply(json: "[0,304]"))).stores
        let queries = loads.compactMap { if case .loadRevisions(let queries) = $0.request { queries } else { nil } }
        #expect(queries.map { $0.map(\.documentID) } == [["1"]])
        #expect(driven.checkpoint.completed.contains(2) && !driven.checkpoint.completed.contains(1))
        let load = try #require(loads.first { if case .loadRevisions = $0.request { true } else { false } })
        let revision = try #require(
            driven.finish(load.task, .store(.revisions([outgoing(LocalChange(1))]))).sent(.rev).first)
        #expect(revision.message.properties["noconflicts"] == "true" && revision.message.properties["sequence"] == "1")
        #expect(!driven.checkpoint.completed.contains(1))
        let mark = try #require(
            loads.first {
                if case .markSynced(let synced) = $0.request { synced.map(\.documentID) == ["2"] } else { false }
            })
        #expect(driven.finish(mark.task, .store(.synced(conflicting: []))).isEmpty)
        let last = driven.finish(revision.task, .reply(BLIPReply()))
        #expect(
            last.stores.map(\.request) == [
                .markSynced([SyncedRevision(documentID: "1", version: Version("1-aa"), isFirst: true)])
            ])
        #expect(driven.checkpoint.completed.contiguousThrough == 2 && driven.pusher.isBusy)
        #expect(driven.finish(try #require(last.stores.first).task, .store(.synced(conflicting: []))).isEmpty)
        #expect(!driven.pusher.isBusy && driven.failures.isEmpty)
    }

    @Test("a session begins behind what is completed without a gap, and passes over what is completed behind it")
    func beginsAtCheckpoint() throws {
        var checkpoint = Checkpoint()
        checkpoint.completed = SequenceSet(through: 4)
        checkpoint.completed.insert(6)
        checkpoint.reofferedThrough = 5
        var driven = DrivenPusher(from: checkpoint)
        let scan = try #require(driven.begin().scans.first)
        #expect(scan.scan.after == 4 && scan.scan.reofferedThrough == 5)
        let list = driven.finish(scan.task, page(5...7, isEnd: true)).sent(.proposeChanges)
        #expect(
            list.map { String(decoding: $0.message.body, as: UTF8.self) } == [
                #"[["5","1-aa","",10],["7","1-aa","",10]]"#
            ])
    }

    @Test("lists wait for their answers, five at most, and one once all is announced")
    func listsInFlight() throws {
        var driven = DrivenPusher()
        var scans = driven.begin().scans
        var lists: [TaskID] = []
        while let scan = scans.first {
            let first = scan.scan.after + 1
            let actions = driven.finish(scan.task, page(first...first + 9, isEnd: false))
            lists += actions.sent(.proposeChanges).map(\.task)
            scans = actions.scans
        }
        #expect(lists.count == SessionLimits().listsInFlight)
        // An answer makes room for one more.
        let more = driven.finish(lists[0], .reply(BLIPReply(json: "[304,304,304,304,304,304,304,304,304,304]"))).scans
        #expect(more.map(\.scan.after) == [50])
        _ = driven.finish(try #require(more.first).task, page(51...60, isEnd: true))
        #expect(driven.localChanged().scans.isEmpty)
        var later: [ChangeScan] = []
        for list in lists.dropFirst() {
            let answer = BLIPReply(json: "[304,304,304,304,304,304,304,304,304,304]")
            later += driven.finish(list, .reply(answer)).scans.map(\.scan)
        }
        #expect(later.isEmpty, "the last list is still unanswered")
    }

    @Test("no list is made while very many revisions wait, and few bytes are unanswered at once")
    func sendingLimits() throws {
        var limits = SessionLimits()
        (limits.queuedRevisions, limits.loadingRevisions) = (20, 5)
        (limits.unansweredRevisions, limits.unansweredByteCount) = (8, 1 << 20)
        var driven = DrivenPusher(limits: limits)
        let scan = try #require(driven.begin().scans.first)
        let found = driven.finish(scan.task, page(1...40, isEnd: false))
        let list = try #require(found.sent(.proposeChanges).first)
        let next = try #require(found.scans.first)
        let wanted = driven.finish(list.task, .reply(BLIPReply(json: "[]")))
        #expect(driven.pusher.sender.queuedCount == 35)
        #expect(driven.finish(next.task, page(41...42, isEnd: false)).scans.isEmpty)
        var sent: [TaskID] = []
        var loads = wanted.stores
        while let load = loads.first(where: { if case .loadRevisions = $0.request { true } else { false } }) {
            guard case .loadRevisions(let queries) = load.request else { break }
            #expect(queries.count == 5)
            let loaded = queries.map { outgoing(LocalChange(UInt64($0.documentID) ?? 0)) }
            let actions = driven.finish(load.task, .store(.revisions(loaded)))
            sent += actions.sent(.rev).map(\.task)
            loads = actions.stores
        }
        // A batch is begun below the limit, and sent as a whole.
        #expect(sent.count == 10 && driven.pusher.sender.queuedCount == 30)
        let answered = driven.finish(sent[0], .reply(BLIPReply()))
        #expect(answered.stores.allSatisfy { if case .loadRevisions = $0.request { false } else { true } })
    }

    @Test("a refused document is completed only once the refusal is stored")
    func refusal() throws {
        var driven = DrivenPusher()
        let actions = try driven.propose([LocalChange(1), LocalChange(2)], answer: "[413,500]")
        #expect(actions.reported.map(\.error?.code) == [.http(413), .http(500)])
        let record = try #require(actions.stores.first)
        guard case .recordRefusals(let refusals) = record.request else {
            Issue.record("not recorded")
            return
        }
        #expect(refusals.map(\.code) == [413, 500] && refusals.map(\.sequence) == [1, 2])
        #expect(driven.checkpoint.completed.contiguousThrough == 0 && driven.pusher.isBusy)
        #expect(driven.finish(record.task, .store(.refusalsRecorded(left: [1]))).isEmpty)
        #expect(driven.checkpoint.completed.contiguousThrough == 2 && driven.overflow == 2 && !driven.pusher.isBusy)
    }

    @Test(
        "a revision that is answered with 403 is sent once more, one with a passing error is left to the next session",
        arguments: [(403, 2, true), (503, 1, false), (404, 1, true)])
    func refusedRevision(_ status: Int, _ attempts: Int, _ isRecorded: Bool) throws {
        var driven = DrivenPusher()
        var actions = try driven.propose([LocalChange(1)], answer: "[0]")
        var count = 0
        var recorded = false
        while !actions.isEmpty, count < 10 {
            if let list = actions.sent(.proposeChanges).first {
                actions = driven.finish(list.task, .reply(BLIPReply(json: "[0]")))
            } else if let revision = actions.sent(.rev).first {
                count += 1
                actions = driven.finish(revision.task, .reply(BLIPReply(status: status)))
            } else if let store = actions.stores.first, case .loadRevisions = store.request {
                actions = driven.finish(store.task, .store(.revisions([outgoing(LocalChange(1))])))
            } else if let store = actions.stores.first, case .recordRefusals = store.request {
                recorded = true
                actions = driven.finish(store.task, .store(.refusalsRecorded(left: [])))
            } else {
                break
            }
        }
        #expect(count == attempts && recorded == isRecorded && driven.failures.isEmpty && !driven.pusher.isBusy)
        #expect(driven.checkpoint.completed.contains(1) == isRecorded)
        #expect((driven.pusher.leftError?.code == .http(503)) == !isRecorded)
    }

    @Test(
        "a revision that is gone meanwhile is completed, and nothing of it is told",
        arguments: [LoadedRevision.missing, .obsolete])
    func gone(_ loaded: LoadedRevision) throws {
        var driven = DrivenPusher()
        let load = try #require(driven.propose([LocalChange(1)], answer: "[0]").stores.first)
        let actions = driven.finish(load.task, .store(.revisions([loaded])))
        #expect(actions.isEmpty && driven.checkpoint.completed.contains(1) && !driven.pusher.isBusy)
    }

    @Test("a conflict without a name is proposed anew once; a named one is asked of the database, a few times at most")
    func conflicts() throws {
        var driven = DrivenPusher()
        var actions = try driven.propose([LocalChange(1, remote: "1-bb")], answer: "[409]")
        let again = try #require(actions.sent(.proposeChanges).first)
        #expect(String(decoding: again.message.body, as: UTF8.self) == #"[["1","2-aa","",10]]"#)
        actions = driven.finish(again.task, .reply(BLIPReply(json: #"[{"status":409,"rev":"1-c0"}]"#)))
        var count = 0
        while let ask = actions.stores.first, case .reconsider(let change, let server) = ask.request, count < 20 {
            count += 1
            #expect(server == Version("1-c\(count - 1)"))
            var proposed = change
            proposed.remoteVersion = server
            let list = try #require(
                driven.finish(ask.task, .store(.reconsidered(.propose(proposed)))).sent(.proposeChanges).first)
            actions = driven.finish(list.task, .reply(BLIPReply(json: #"[{"status":409,"rev":"1-c\#(count)"}]"#)))
        }
        #expect(count == 4)
        #expect(actions.reported.map(\.error?.code) == [.conflict])
        guard case .recordRefusals(let refusals)? = actions.stores.first?.request else {
            Issue.record("an endless conflict isn't recorded")
            return
        }
        #expect(refusals.map(\.code) == [409])
    }

    @Test("a refused change whose document now has a revision that isn't sent is done, and not told")
    func excluded() throws {
        var driven = DrivenPusher()
        let ask = try #require(driven.propose([LocalChange(1)], answer: #"[{"status":409,"rev":"1-bb"}]"#).stores.first)
        let actions = driven.finish(ask.task, .store(.reconsidered(.excluded)))
        #expect(actions.isEmpty && driven.checkpoint.completed.contains(1) && !driven.pusher.isBusy)
    }

    @Test("a conflict that the pull ends is not told, and proposed again")
    func conflictAwaitsPull() throws {
        var driven = DrivenPusher(pull: true)
        let ask = try #require(driven.propose([LocalChange(1)], answer: #"[{"status":409,"rev":"1-bb"}]"#).stores.first)
        let actions = driven.finish(ask.task, .store(.reconsidered(.conflict)))
        #expect(actions.reported.isEmpty)
        let asked = driven.pulled("1", "2-bb").stores.map(\.request)
        #expect(asked == [.reconsider(LocalChange(1), serverVersion: Version("2-bb"))])
        #expect(driven.pulled("1", "2-bb").isEmpty && driven.pulled("other", "1-aa").isEmpty)
    }

    @Test(
        "a revision that is answered with 409 awaits the pull, or is told if there is none", arguments: [false, true])
    func lateConflict(_ isPull: Bool) throws {
        var driven = DrivenPusher(pull: isPull)
        let load = try #require(driven.propose([LocalChange(1)], answer: "[0]").stores.first)
        let revision = try #require(
            driven.finish(load.task, .store(.revisions([outgoing(LocalChange(1))]))).sent(.rev).first)
        let actions = driven.finish(revision.task, .reply(BLIPReply(status: 409)))
        #expect(actions.reported.map(\.error?.code) == (isPull ? [] : [.http(409)]))
        #expect(driven.pulled("1", "2-bb").stores.count == (isPull ? 1 : 0))
        #expect(driven.pusher.progress.outcomes == OutcomeCounts())
    }

    @Test("a conflict that the pull has brought before the peer refuses the revision is not told")
    func pulledConflict() throws {
        var driven = DrivenPusher(pull: true)
        let ask = try #require(driven.propose([LocalChange(1)], answer: #"[{"status":409,"rev":"1-bb"}]"#).stores.first)
        driven.pusher.conflictPulled("1")
        #expect(driven.finish(ask.task, .store(.reconsidered(.conflict))).reported.isEmpty)
        #expect(driven.pusher.conflicts.isEmpty)
    }

    @Test("documents that the peer has are counted apart from those that it accepts")
    func outcomes() throws {
        var driven = DrivenPusher()
        let stores = try driven.propose([LocalChange(1), LocalChange(2)], answer: "[304,0]").stores
        let load = try #require(stores.first { if case .loadRevisions = $0.request { true } else { false } })
        let revision = try #require(
            driven.finish(load.task, .store(.revisions([outgoing(LocalChange(2))]))).sent(.rev).first)
        _ = driven.finish(revision.task, .reply(BLIPReply()))
        let outcomes = driven.pusher.progress.outcomes
        #expect(outcomes.known == 1 && outcomes.pushed == 1)
    }

    @Test("a newer change of a document waits for the one under way, and names that as its ancestor")
    func successor() throws {
        var driven = DrivenPusher()
        let load = try #require(driven.propose([LocalChange(1)], answer: "[0]").stores.first)
        let revision = try #require(
            driven.finish(load.task, .store(.revisions([outgoing(LocalChange(1))]))).sent(.rev).first)
        let scan = try #require(driven.localChanged().scans.first)
        var newer = LocalChange(2)
        (newer.documentID, newer.version) = ("1", Version("2-bb"))
        let page = ChangePage(changes: [newer], scannedThrough: 2, isEnd: true)
        #expect(driven.finish(scan.task, .store(.changes(page))).sent(.proposeChanges).isEmpty)
        let list = driven.finish(revision.task, .reply(BLIPReply())).sent(.proposeChanges)
        #expect(list.map { String(decoding: $0.message.body, as: UTF8.self) } == [#"[["1","2-bb","1-aa",10]]"#])
        #expect(driven.checkpoint.completed.contains(1) && !driven.checkpoint.completed.contains(2))
    }

    @Test(
        "a revision that is answered with 403 isn't sent once more if there is a newer one, found before the answer or after",
        arguments: [true, false])
    func replacedForbidden(_ isBefore: Bool) throws {
        var driven = DrivenPusher()
        let load = try #require(driven.propose([LocalChange(1)], answer: "[0]").stores.first)
        let revision = try #require(
            driven.finish(load.task, .store(.revisions([outgoing(LocalChange(1))]))).sent(.rev).first)
        let scan = try #require(driven.localChanged().scans.first)
        var newer = LocalChange(2)
        (newer.documentID, newer.version) = ("1", Version("2-bb"))
        let page = ChangePage(changes: [newer], scannedThrough: 2, isEnd: true)
        let results: [(task: TaskID, result: TaskResult)] = [
            (scan.task, .store(.changes(page))), (revision.task, .reply(BLIPReply(status: 403))),
        ]
        var actions: [SessionAction] = []
        for index in isBefore ? [0, 1] : [1, 0] { actions += driven.finish(results[index].task, results[index].result) }
        let lists = actions.sent(.proposeChanges)
        #expect(lists.map { String(decoding: $0.message.body, as: UTF8.self) } == [#"[["1","2-bb","",10]]"#])
        #expect(driven.checkpoint.completed.contains(1) && !driven.checkpoint.completed.contains(2))
        let end = driven.finish(try #require(lists.first).task, .reply(BLIPReply(json: "[304]")))
        #expect(end.sent(.proposeChanges).isEmpty && driven.checkpoint.completed.contiguousThrough == 2)
    }

    @Test(
        "answers that can't be read, or are errors, end the session; those that are too long or too short do not",
        arguments: [
            ("{}", SessionError.Code.protocolViolation), ("[\"x\"]", .protocolViolation), ("[0,", .protocolViolation),
            ("[304,304,304,304,0,409,\(String(repeating: "7,", count: 20))0]", nil), ("[304]", nil),
        ] as [(String, SessionError.Code?)])
    func hostileAnswers(_ answer: String, _ code: SessionError.Code?) throws {
        var driven = DrivenPusher()
        _ = try driven.propose([LocalChange(1), LocalChange(2)], answer: answer)
        #expect(driven.failures.map(\.code) == (code.map { [$0] } ?? []))
        #expect(driven.checkpoint.completed.contains(1) == (code == nil))
        // A row without an answer is wanted.
        #expect(driven.checkpoint.completed.contains(2) == (answer.utf8.count > 10 && code == nil))
    }

    @Test("results of tasks that nobody waits for bring nothing about, a failed database ends the session")
    func unknownResults() throws {
        var driven = DrivenPusher()
        let scan = try #require(driven.begin().scans.first)
        let stranger = TaskID(value: 1_000)
        #expect(driven.finish(stranger, .reply(BLIPReply(json: "[0]"))).isEmpty)
        #expect(driven.finish(stranger, .store(.revisions([.missing]))).isEmpty && driven.failures.isEmpty)
        _ = driven.finish(scan.task, .store(.failed(StoreFailure(isTransient: true, reason: "busy"))))
        #expect(driven.failures.map(\.code) == [.storage] && driven.failures.map(\.recovery) == [.transient])
    }

    /// Plays database and peer for a number of results, and then loses the connection.
    ///
    /// - Returns: the checkpoint at that time, and true where all was done before.
    private func run(_ stepCount: Int, from checkpoint: Checkpoint, _ peer: inout [UInt64: Int]) -> (Checkpoint, Bool) {
        var driven = DrivenPusher(from: checkpoint)
        var queue = driven.begin()[...]
        for _ in 0..<stepCount {
            guard let action = queue.popFirst() else { return (driven.checkpoint, true) }
            switch action {
            case .store(.scan(let scan), _, let task):
                let changes = (1...6).filter { $0 > scan.after }.map { LocalChange($0) }
                queue += driven.finish(
                    task, .store(.changes(ChangePage(changes: changes, scannedThrough: 6, isEnd: true))))
            case .store(.loadRevisions(let queries), _, let task):
                let loaded = queries.map { outgoing(LocalChange(UInt64($0.documentID) ?? 0)) }
                queue += driven.finish(task, .store(.revisions(loaded)))
            case .store(.markSynced, _, let task): queue += driven.finish(task, .store(.synced(conflicting: [])))
            case .send(let message, let task) where message.properties["Profile"] == "proposeChanges":
                let rows =
                    (try? ProposeChangesRequest(
                        BLIPRequest(number: 1, properties: message.properties, body: message.body),
                        limits: MessageLimits()))?.rows
                let items = (rows ?? []).map { peer[UInt64($0.documentID) ?? 0] == nil ? "0" : "304" }
                queue += driven.finish(task, .reply(BLIPReply(json: "[\(items.joined(separator: ","))]")))
            case .send(let message, let task):
                peer[message.properties["id"].flatMap { UInt64($0) } ?? 0, default: 0] += 1
                queue += driven.finish(task, .reply(BLIPReply()))
            default: break
            }
        }
        return (driven.checkpoint, queue.isEmpty)
    }

    @Test("a connection that is lost after any step loses no document, and what was completed is not proposed again")
    func lostConnection() {
        for stepCount in 0..<20 {
            var peer: [UInt64: Int] = [:]
            let (checkpoint, _) = run(stepCount, from: Checkpoint(), &peer)
            for sequence in 1...6 as ClosedRange<UInt64> where checkpoint.completed.contains(sequence) {
                #expect(peer[sequence] == 1, "completed without the peer's answer after \(stepCount) steps")
            }
            let (end, isDone) = run(100, from: checkpoint, &peer)
            #expect(isDone && end.completed.contiguousThrough == 6)
            #expect(peer == Dictionary(uniqueKeysWithValues: (1...6).map { ($0, 1) }), "after \(stepCount) steps")
        }
    }
}

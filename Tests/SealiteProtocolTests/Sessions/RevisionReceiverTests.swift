import SealiteRevisions
import Testing

@testable import SealiteProtocol
@testable import SealiteProtocolTestSupport

/// A receiver whose peer and database are played by hand.
private struct DrivenReceiver {
    var receiver: RevisionReceiver
    private(set) var outcomes: [RevisionReceiver.Outcome] = []
    private var actions = SessionActions()
    private var lastNumber: UInt64 = 0
    let start = ContinuousClock.now

    init(_ limits: SessionLimits = SessionLimits(), usesDeltas: Bool = true) {
        receiver = RevisionReceiver(collection: 0, wireCollection: nil, limits: limits, usesDeltas: usesDeltas)
    }

    /// Receives a revision; its request has the next number.
    mutating func receive(
        _ id: String = "a", body: String = "{}", wantsReply: Bool = true, delta: String? = nil
    ) throws -> [SessionAction] {
        lastNumber += 1
        var properties: BLIPProperties = ["id": id, "rev": "1-aa", "sequence": "\(lastNumber)"]
        properties["deltaSrc"] = delta
        let request = BLIPRequest(
            number: lastNumber, properties: properties, body: Array(body.utf8), flags: wantsReply ? [] : .noReply)
        let message = try RevisionRequest(request, limits: MessageLimits())
        receiver.receive(RevisionReceiver.Item(request, message, history: []), at: start, &actions)
        return actions.takeActions()
    }

    mutating func wake(after duration: Duration) -> [SessionAction] {
        receiver.wake(at: start.advanced(by: duration), &actions)
        return actions.takeActions()
    }

    mutating func finish(_ task: TaskID, _ result: TaskResult) -> [SessionAction] {
        outcomes += receiver.finished(task, result, &actions)
        return actions.takeActions()
    }

    /// Receives a revision, and gives the result of its insertion.
    mutating func insert(_ outcome: RevisionOutcome, wantsReply: Bool = true) throws -> [SessionAction] {
        _ = try receive(wantsReply: wantsReply)
        let insertion = try #require(wake(after: .seconds(1)).stores.first)
        return finish(insertion.task, .store(.inserted([outcome])))
    }
}

@Suite("revision receiver")
struct RevisionReceiverTests {
    private func need(_ number: UInt8) throws -> AttachmentNeed {
        let digest = try #require(BlobDigest(bytes: [UInt8](repeating: number, count: 20)))
        return AttachmentNeed(digest: digest, isCompressible: false)
    }

    private func documents(_ actions: [SessionAction]) -> [[String]] {
        actions.stores.map { store in
            if case .insert(let revisions, _) = store.request { revisions.map(\.documentID) } else { [] }
        }
    }

    @Test("revisions wait a moment for others, and are answered when the database has them")
    func batch() throws {
        var driven = DrivenReceiver()
        #expect(try driven.receive("a").isEmpty && driven.receive("b").isEmpty)
        #expect(driven.receiver.deadline == driven.start.advanced(by: SessionLimits().insertionDelay))
        #expect(driven.wake(after: .zero).isEmpty)
        let actions = driven.wake(after: .milliseconds(2))
        #expect(documents(actions) == [["a", "b"]] && actions.replied.isEmpty && driven.receiver.isBusy)
        let insertion = try #require(actions.stores.first)
        let answers = driven.finish(insertion.task, .store(.inserted([.inserted, .conflict])))
        #expect(answers.replied == [1, 2] && driven.outcomes.count == 2 && !driven.receiver.isBusy)
    }

    @Test("many revisions, or many bytes, don't wait; one batch is inserted at a time")
    func batchLimits() throws {
        var limits = SessionLimits()
        (limits.insertedRevisions, limits.insertedByteCount) = (3, 100_000)
        var driven = DrivenReceiver(limits)
        #expect(try driven.receive("1").isEmpty && driven.receive("2").isEmpty)
        let first = try driven.receive("3")
        #expect(documents(first) == [["1", "2", "3"]])
        for id in ["4", "5", "6", "7"] { #expect(try driven.receive(id).isEmpty) }
        #expect(driven.wake(after: .seconds(1)).isEmpty && driven.receiver.bytes.backlog > 0)
        let second = driven.finish(
            try #require(first.stores.first).task, .store(.inserted([.inserted, .inserted, .inserted])))
        #expect(documents(second) == [["4", "5", "6"]] && second.replied == [1, 2, 3])
        let third = driven.finish(
            try #require(second.stores.first).task, .store(.inserted([.known, .known, .known])))
        #expect(documents(third) == [["7"]])
        _ = driven.finish(try #require(third.stores.first).task, .store(.inserted([.inserted])))
        let large = String(repeating: " ", count: 100_000)
        #expect(try documents(driven.receive("8", body: large)) == [["8"]])
        #expect(driven.receiver.bytes.queued > 100_000 && driven.receiver.bytes.backlog == 0)
    }

    @Test(
        "each outcome has its answer",
        arguments: [
            (.inserted, nil), (.resurrected, nil), (.known, nil), (.conflict, nil),
            (.accessRemoved(isPurged: true), nil),
            (.conflictRefused, 409), (.refused(status: 413, reason: "too large"), 413),
        ] as [(RevisionOutcome, Int?)])
    func answers(_ outcome: RevisionOutcome, _ status: Int?) throws {
        var driven = DrivenReceiver()
        let actions = try driven.insert(outcome)
        #expect(actions.replied == (status == nil ? [1] : []) && actions.refused == (status.map { [1: $0] } ?? [:]))
        #expect(driven.outcomes.count == 1 && !driven.receiver.isBusy)
        #expect(driven.receiver.bytes == ReceivedByteCounts())
        var silent = DrivenReceiver()
        #expect(try silent.insert(outcome, wantsReply: false).isEmpty && silent.outcomes.count == 1)
    }

    @Test("without deltas one is refused before it reaches the database")
    func delta() throws {
        var driven = DrivenReceiver(usesDeltas: false)
        #expect(driven.receiver.announceDeltas() == nil)
        #expect(try driven.receive(delta: "1-00").refused == [1: 422])
        #expect(!driven.receiver.isBusy && driven.receiver.deadline == nil)
    }

    @Test("a delta that the database can't apply is answered with 422, and after ten in a row none reaches it any more")
    func refusedDelta() throws {
        var driven = DrivenReceiver()
        #expect(driven.receiver.announceDeltas() == true && driven.receiver.announceDeltas() == nil)
        for number in 1...UInt64(DeltaTally.refusalLimit) {
            _ = try driven.receive(delta: "1-00")
            let insertion = try #require(driven.wake(after: .seconds(1)).stores.first)
            let actions = driven.finish(insertion.task, .store(.inserted([.deltaRefused(reason: "no base")])))
            #expect(actions.refused == [number: 422] && !driven.receiver.isBusy)
            guard case .wantedWhole = driven.outcomes.last else {
                Issue.record("the outcome is \(String(describing: driven.outcomes.last))")
                return
            }
        }
        #expect(driven.receiver.announceDeltas() == false && driven.receiver.announceDeltas() == nil)
        #expect(try driven.receive(delta: "1-00").refused == [11: 422] && !driven.receiver.isBusy)
        #expect(driven.receiver.bytes == ReceivedByteCounts())
        // Whole bodies go on.
        #expect(try driven.insert(.inserted).replied == [12])
        #expect(driven.receiver.takeDeltaCounts().fallbacks == 11)
    }

    @Test("an applied delta counts, and the refusals before it no longer do")
    func appliedDelta() throws {
        var driven = DrivenReceiver()
        for outcome in [RevisionOutcome.deltaRefused(reason: "no base"), .inserted] {
            for _ in 1..<DeltaTally.refusalLimit {
                _ = try driven.receive(delta: "1-00")
                let insertion = try #require(driven.wake(after: .seconds(1)).stores.first)
                _ = driven.finish(insertion.task, .store(.inserted([outcome])))
            }
        }
        #expect(driven.receiver.takesDeltas)
        let counts = driven.receiver.takeDeltaCounts()
        #expect(counts.received == 9 && counts.fallbacks == 9)
    }

    @Test("a database that fails has every revision of the batch refused", arguments: [(true, 503), (false, 500)])
    func failure(_ isTransient: Bool, _ status: Int) throws {
        var driven = DrivenReceiver()
        _ = (try driven.receive("a"), try driven.receive("b"))
        let insertion = try #require(driven.wake(after: .seconds(1)).stores.first)
        let failure = StoreFailure(isTransient: isTransient, reason: "failed")
        #expect(driven.finish(insertion.task, .store(.failed(failure))).refused == [1: status, 2: status])
        #expect(driven.outcomes.count == 2 && !driven.receiver.isBusy)
    }

    @Test("attachments are fetched a few at a time, and the revision is inserted again when all are there")
    func attachments() throws {
        var driven = DrivenReceiver()
        var actions = try driven.insert(.needsAttachments((0..<20).map { try need($0) }))
        var (waiting, count) = (actions.fetches[...], 0)
        #expect(waiting.count == SessionLimits().fetchedAttachments && actions.replied.isEmpty)
        #expect(driven.receiver.heldByteCount > 0)
        while let fetch = waiting.popFirst() {
            count += 1
            actions = driven.finish(fetch.task, .attachment(.stored))
            waiting += actions.fetches
            #expect(waiting.count <= 8)
        }
        #expect(count == 20 && documents(actions) == [["a"]] && driven.receiver.heldByteCount == 0)
        let insertion = try #require(actions.stores.first)
        guard case .insert(let revisions, _) = insertion.request else { return }
        #expect(revisions.map(\.given.count) == [20])
        #expect(driven.finish(insertion.task, .store(.inserted([.inserted]))).replied == [1])
    }

    @Test("a database that asks again for what was fetched doesn't make it go on for ever")
    func endlessNeeds() throws {
        var driven = DrivenReceiver()
        let fetch = try #require(try driven.insert(.needsAttachments([need(1)])).fetches.first)
        let insertion = try #require(driven.finish(fetch.task, .attachment(.stored)).stores.first)
        let actions = driven.finish(insertion.task, .store(.inserted([.needsAttachments([try need(1)])])))
        #expect(actions.refused == [1: 500] && actions.fetches.isEmpty && !driven.receiver.isBusy)
    }

    @Test(
        "an attachment that can't be had ends its revision, and only that",
        arguments: [
            (.refused(BLIPErrorReply(code: 404)), 404, .http(404)), (.corrupt, 400, .corruptAttachment),
            (.failed(StoreFailure(isTransient: true, reason: "")), 503, .storage),
        ] as [(AttachmentResult, Int, SessionError.Code)])
    func lostAttachment(_ result: AttachmentResult, _ status: Int, _ code: SessionError.Code) throws {
        var driven = DrivenReceiver()
        _ = (try driven.receive("a"), try driven.receive("b"))
        let insertion = try #require(driven.wake(after: .seconds(1)).stores.first)
        let outcomes = [RevisionOutcome.needsAttachments([try need(1), try need(2)]), .inserted]
        let actions = driven.finish(insertion.task, .store(.inserted(outcomes)))
        #expect(actions.replied == [2] && actions.fetches.count == 2)
        #expect(driven.finish(actions.fetches[0].task, .attachment(result)).refused == [1: status])
        // The other one comes all the same, for nobody.
        #expect(driven.finish(actions.fetches[1].task, .attachment(.stored)).isEmpty)
        #expect(!driven.receiver.isBusy && driven.receiver.heldByteCount == 0)
        guard case .failed(_, let error)? = driven.outcomes.last else {
            Issue.record("the revision didn't fail")
            return
        }
        #expect(error.code == code)
    }

    @Test("too many bytes that wait for attachments have further revisions refused for now")
    func refusal() throws {
        var driven = DrivenReceiver()
        driven.receiver.attachmentWaitLimit = 100
        #expect(driven.receiver.refusal == nil)
        let fetch = try #require(try driven.insert(.needsAttachments([need(1)])).fetches.first)
        #expect(driven.receiver.refusal?.code == 503)
        let insertion = try #require(driven.finish(fetch.task, .attachment(.stored)).stores.first)
        #expect(driven.receiver.refusal == nil)
        #expect(driven.finish(insertion.task, .store(.inserted([.inserted]))).replied == [1])
    }

    @Test("results of tasks that nobody waits for, too few results and too many bring nothing about")
    func unknownResults() throws {
        var driven = DrivenReceiver()
        _ = (try driven.receive("a"), try driven.receive("b"))
        let insertion = try #require(driven.wake(after: .seconds(1)).stores.first)
        let stranger = TaskID(value: 1_000)
        #expect(driven.finish(stranger, .store(.inserted([.inserted]))).isEmpty)
        #expect(driven.finish(stranger, .attachment(.stored)).isEmpty && driven.outcomes.isEmpty)
        #expect(driven.finish(insertion.task, .store(.inserted([.inserted]))).replied == [1])
        #expect(driven.finish(insertion.task, .store(.inserted([.inserted, .inserted]))).isEmpty)
    }
}

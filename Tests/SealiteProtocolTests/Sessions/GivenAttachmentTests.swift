@testable import SealiteProtocolTestSupport
@testable import SealiteProtocol
import Testing
import SealiteRevisions

@Suite("attachments that a peer has given")
struct GivenAttachmentTests {
    private func digest(_ number: Int) throws -> BlobDigest {
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) } + [UInt8](repeating: 0, count: 12)
        return try #require(BlobDigest("sha1-" + bytes.base64))
    }

    @Test("very many are remembered, the latest; what is forgotten goes a few at a time")
    func bound() throws {
        var given = GivenAttachments()
        #expect(try !given.contains(digest(0)) && given.heldByteCount == 0)
        let remembered = GivenAttachments.generationLimit * (GivenAttachments.generationCount - 1)
        #expect(remembered >= 15_000)
        for number in 0..<50_000 {
            given.insert(try digest(number))
            // The one given is known, and the last ones before it are at each moment.
            guard number % 997 == 0 else { continue }
            #expect(try given.contains(digest(number)) && given.contains(digest(max(0, number - remembered + 1))))
            #expect(try !given.contains(digest(number + 1)))
        }
        #expect(try !given.contains(digest(0)) && given.heldByteCount < 1 << 20)
        #expect(given.heldByteCount > remembered * 40)
    }

    @Test("what is given again is remembered anew")
    func again() throws {
        var given = GivenAttachments()
        for number in 1..<60_000 {
            given.insert(try digest(number))
            if number % 10_000 == 0 { given.insert(try digest(0)) }
        }
        #expect(try given.contains(digest(0)) && !given.contains(digest(1)))
    }

    /// A receiver that is driven by hand.
    private final class Driven {
        var receiver: RevisionReceiver
        var actions = SessionActions()
        var number: UInt64 = 0
        let moment = ContinuousClock.now

        init(_ limits: SessionLimits = SessionLimits()) {
            receiver = RevisionReceiver(collection: 0, wireCollection: nil, limits: limits, usesDeltas: true)
        }

        /// Receives a revision and begins to insert it.
        func receive(_ id: String) throws {
            number += 1
            let request = BLIPRequest(number: number, properties: ["id": id, "rev": "1-aa"], body: Array("{}".utf8))
            let message = try RevisionRequest(request, limits: MessageLimits())
            receiver.receive(RevisionReceiver.Item(request, message, history: []), at: moment, &actions)
            receiver.insert(&actions)
        }

        /// The insertion that was asked for last, if nothing else was.
        func insertion() -> (revisions: [IncomingRevision], given: GivenAttachments, task: TaskID)? {
            guard case .store(.insert(let revisions, let given), _, let task)? = actions.takeActions().last else {
                return nil
            }
            return (revisions, given, task)
        }

        func answer(_ task: TaskID, _ outcome: RevisionOutcome) {
            _ = receiver.finished(task, .store(.inserted([outcome])), &actions)
        }

        /// Gives the attachments that are asked for until none is.
        func give() -> (count: Int, last: [SessionAction]) {
            var count = 0
            while true {
                let taken = actions.takeActions()
                let fetches = taken.compactMap { action -> TaskID? in
                    if case .fetchAttachment(_, _, _, let task) = action { task } else { nil }
                }
                guard !fetches.isEmpty else { return (count, taken) }
                for task in fetches { _ = receiver.finished(task, .attachment(.stored), &actions) }
                count += fetches.count
            }
        }
    }

    @Test("a revision carries the attachments that were fetched for it; those of the session go with the request, once")
    func shared() throws {
        let driven = Driven()
        try driven.receive("a")
        let first = try #require(driven.insertion())
        let needs = try (0..<20).map { AttachmentNeed(digest: try digest($0), byteCount: nil, isCompressible: false) }
        let before = driven.receiver.bytes.uncounted
        driven.answer(first.task, .needsAttachments(needs))
        #expect(driven.receiver.bytes.uncounted > before + 20 * 100)
        let (count, actions) = driven.give()
        #expect(count == 20)
        guard case .store(.insert(let revisions, let given), _, let task)? = actions.last else {
            Issue.record("not inserted again")
            return
        }
        #expect(try revisions.map(\.given.count) == [20] && given.contains(digest(7)))
        driven.answer(task, .inserted)
        for id in ["b", "c"] {
            try driven.receive(id)
            let next = try #require(driven.insertion())
            #expect(try next.revisions[0].given.isEmpty && next.given.contains(digest(19)))
            driven.answer(next.task, .inserted)
        }
        #expect(driven.receiver.heldByteCount == 0 && driven.receiver.bytes.uncounted == given.heldByteCount)
    }

    @Test("a revision keeps its own attachments, however many, also where the session remembers fewer")
    func own() throws {
        let count = GivenAttachments.generationLimit * GivenAttachments.generationCount + 1
        var limits = SessionLimits()
        limits.neededAttachments = count
        let driven = Driven(limits)
        try driven.receive("a")
        let first = try #require(driven.insertion())
        let needs = try (0..<count).map {
            AttachmentNeed(digest: try digest($0), byteCount: nil, isCompressible: false)
        }
        driven.answer(first.task, .needsAttachments(needs))
        let (fetched, actions) = driven.give()
        guard case .store(.insert(let revisions, let given), _, _)? = actions.last else {
            Issue.record("not inserted again")
            return
        }
        #expect(try fetched == count && !given.contains(digest(0)) && revisions[0].given.count == count)
    }
}

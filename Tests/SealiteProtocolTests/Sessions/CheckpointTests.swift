@testable import SealiteProtocolTestSupport
@testable import SealiteProtocol
import SealiteTestSupport
import Testing

@Suite("replication checkpoint")
struct CheckpointTests {
    static let limits = MessageLimits()

    private func checkpoint(_ json: String) throws -> Checkpoint {
        try Checkpoint(json: Array(json.utf8), limits: Self.limits)
    }

    @Test(
        "what is read is written the same",
        arguments: [
            #"{"time":0}"#, #"{"time":0,"local":17}"#, #"{"time":0,"remote":5}"#, #"{"time":0,"remote":"12::34"}"#,
            #"{"time":0,"local":17,"localCompleted":[0,18,20,2],"remote":"115:110"}"#,
            #"{"time":0,"localCompleted":[3,4,20,2]}"#, #"{"time":0,"localCompleted":[2,9]}"#,
        ])
    func roundTrip(_ json: String) throws {
        #expect(String(decoding: try checkpoint(json).json(time: 0), as: UTF8.self) == json)
    }

    @Test(
        "what is no checkpoint is refused, and unknown members are passed over",
        arguments: [
            ("", false), ("[]", false), ("{", false), (#"{"localCompleted":[18446744073709551615,5]}"#, false),
            (#"{"localCompleted":["a"]}"#, false), (#"{"x":[{}],"local":"a","remote":null}"#, true), ("{}", true),
            (#"{"local":-5}"#, true), (#"{"localCompleted":[5]}"#, true),
        ])
    func shapes(_ json: String, _ isRead: Bool) {
        #expect((try? checkpoint(json)) == (isRead ? Checkpoint() : nil))
    }

    @Test("a remote's copy is read up to 32 KiB, and taken as none above")
    func remoteCopy() throws {
        func copy(_ byteCount: Int) -> [UInt8] {
            let frame = #"{"local":7,"x":""}"#
            let filler = String(repeating: "x", count: byteCount - frame.utf8.count)
            return Array(#"{"local":7,"x":"\#(filler)"}"#.utf8)
        }
        #expect(try Checkpoint(copy: copy(32 << 10), limits: Self.limits) == checkpoint(#"{"local":7}"#))
        #expect(Checkpoint(copy: copy(32 << 10 + 1), limits: Self.limits) == nil)
        #expect(Checkpoint(copy: Array("[]".utf8), limits: Self.limits) == nil)
        // Of a session with collections it comes with their list, else alone.
        for isLegacy in [false, true] {
            for (byteCount, isRead) in [(32 << 10, true), (32 << 10 + 1, false)] {
                #expect(try begun(with: copy(byteCount), isLegacy: isLegacy).isLost(by: nil) == isRead)
            }
        }
    }

    /// Returns the starting point of a session whose own copy equals the remote's.
    private func begun(with remote: [UInt8], isLegacy: Bool) throws -> Checkpoint {
        var checkpointer = Checkpointer(.one(), collection: 0, isLegacy: isLegacy)
        var actions = SessionActions()
        _ = checkpointer.begin(isLegacy ? nil : .checkpoint(body: remote, revision: "1-cc"), &actions)
        for action in actions.takeActions() {
            switch action {
            case .send(_, let task): _ = checkpointer.finished(task, .reply(BLIPReply(body: remote)), &actions)
            case .store(_, _, let task):
                _ = checkpointer.finished(task, .store(.checkpoint(Array(#"{"local":7}"#.utf8))), &actions)
            default: break
            }
        }
        return checkpointer.checkpoint
    }

    @Test("both copies of a checkpoint agree on what both have")
    func reconciliation() throws {
        let local = try checkpoint(#"{"local":17,"remote":5}"#)
        #expect(Checkpoint.reconciled(local: local, remote: local) == local)
        // A copy that is missing on either side is a database that is new, or lost.
        #expect(Checkpoint.reconciled(local: nil, remote: local) == Checkpoint())
        #expect(Checkpoint.reconciled(local: local, remote: nil) == Checkpoint())
        let cases = [
            (#"{"local":12,"remote":5}"#, #"{"local":12,"remote":5}"#),
            (#"{"local":99,"remote":9}"#, #"{"local":17,"remote":5}"#),
            (#"{"local":17,"remote":"3::4"}"#, #"{"local":17,"remote":"3::4"}"#),
            (#"{"local":17,"remote":"odd"}"#, #"{"local":17}"#), (#"{"local":17}"#, #"{"local":17}"#),
            (#"{"localCompleted":[0,5,8,20],"remote":5}"#, #"{"localCompleted":[0,5,8,10],"remote":5}"#),
        ]
        for (remote, expected) in cases {
            #expect(
                try Checkpoint.reconciled(local: local, remote: checkpoint(remote)) == checkpoint(expected), "\(remote)"
            )
        }
    }

    @Test("two replications share a checkpoint only if all that matters is the same")
    func identities() throws {
        let base = CheckpointIdentity(
            databaseUUID: "u", remote: "wss://h/db", collectionPath: "_default", isPush: true, isPull: true)
        var others = [CheckpointIdentity](repeating: base, count: 8)
        others[0].databaseUUID = "v"
        others[1].remote = "wss://h/db2"
        others[2].collectionPath = "a.b"
        others[3].isPush = false
        others[4].isPull = false
        others[5].channels = ["a"]
        others[6].documentIDs = ["a"]
        others[7].filterNames = ["a"]
        let ids = try Set((others + [base]).map { try $0.id() })
        #expect(ids.count == 9)
        #expect(ids.allSatisfy { $0.hasPrefix("cp-") && $0.utf8.count == 31 })
        var reordered = base
        reordered.channels = ["b", "a"]
        var ordered = base
        ordered.channels = ["a", "b"]
        #expect(try reordered.id() == ordered.id())
    }

    @Test("a set of sequences is the same as a set of numbers", arguments: TestSeed.seeds(10))
    func sequenceSet(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var set = SequenceSet()
        var model: Set<UInt64> = []
        for _ in 0..<300 {
            let start = UInt64.random(in: 0..<60, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                set.remove(start)
                model.remove(start)
            case 1:
                let end = start + UInt64.random(in: 0..<6, using: &random)
                set.insert(start..<end)
                model.formUnion(start..<end)
            default:
                set.insert(start)
                model.insert(start)
            }
            #expect(Set(set.ranges.flatMap { Array($0) }) == model, "seed \(seed)")
            #expect((0..<70).allSatisfy { set.contains($0) == model.contains($0) }, "seed \(seed)")
            #expect(
                zip(set.ranges, set.ranges.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound }, "seed \(seed)")
            let contiguous =
                model.contains(0) || model.contains(1) ? (1...70).first { !model.contains($0) }.map { $0 - 1 } : 0
            #expect(set.contiguousThrough == contiguous, "seed \(seed)")
        }
    }

    @Test("a checkpoint names the last sequence before the first unfinished one, in the order of arrival")
    func remoteSequences() {
        var set = RemoteSequenceSet(since: RemoteSequence(3))
        let entries = [9, 5, 7, 8].map { set.add(RemoteSequence($0)) }
        // Whether finishing an entry moves the checkpoint, and where it is then.
        let steps: [(Int, Bool, UInt64)] = [(1, false, 3), (0, true, 5), (0, false, 5), (3, false, 5), (2, true, 8)]
        for (index, moves, checkpoint) in steps {
            let hasMoved = set.finish(entries[index])
            #expect(hasMoved == moves && set.checkpoint == RemoteSequence(checkpoint))
        }
        for number in 0..<10_000 as Range<UInt64> { _ = set.finish(set.add(RemoteSequence(number))) }
        #expect(set.checkpoint == RemoteSequence(9_999) && set.unfinishedCount == 0)
    }

    @Test("a checkpoint of very many ranges leaves out the last ones, and stays as small as listeners take it")
    func manyRanges() throws {
        var checkpoint = Checkpoint()
        for number in 0..<20_000 as Range<UInt64> { checkpoint.completed.insert(3 * number..<3 * number + 1) }
        checkpoint.remote = RemoteSequence(5)
        let json = checkpoint.json(time: 1)
        #expect(json.count < MessageLimits().checkpointByteCount)
        let read = try Checkpoint(json: json, limits: MessageLimits())
        #expect(read.remote == checkpoint.remote && read.completed.ranges.count > 200)
        #expect(zip(read.completed.ranges, checkpoint.completed.ranges).allSatisfy { $0 == $1 })
    }

    @Test("waits double up to the limit, and attempts run out for a one-shot replication only")
    func retries() {
        let error = SessionError(.webSocket(1_006), "")
        var policy = RetryPolicy(isContinuous: false)
        let waits = (0..<10).map { _ in policy.wait(after: error) }
        #expect(waits == [2, 4, 8, 16, 32, 64, 128, 256, 300, nil].map { $0.map { .seconds($0) } })
        var endless = RetryPolicy(isContinuous: true)
        #expect((0..<100).map { _ in endless.wait(after: error) }.last == .seconds(300))
        for (code, isTransient) in [
            (SessionError.Code.http(408), true), (.http(429), true), (.http(500), false), (.http(502), true),
            (.http(504), true),
            (.http(401), false), (.http(403), false), (.http(404), false), (.webSocket(4_001), true),
            (.webSocket(1_001), false),
            (.protocolViolation, false), (.collectionNotFound, false), (.conflict, false),
        ] {
            #expect((SessionError(code, "").recovery == .transient) == isTransient)
        }
        #expect(SessionError(StoreFailure(isTransient: true, reason: "busy")).recovery == .transient)
    }
}

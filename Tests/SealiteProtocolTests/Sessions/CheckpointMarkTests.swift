import Testing

@testable import SealiteProtocol
@testable import SealiteProtocolTestSupport

/// The local file and the remote's copy of a checkpoint, through sessions that break off anywhere, and a file that is
/// copied and put back.
private struct MarkedWorld {
    var local: [UInt8]?
    var remote: (body: [UInt8], revision: Int)?
    var source = "A"
    private(set) var newSourceCount = 0
    private var sessionCount = 0

    /// Runs a session that saves its checkpoint, and breaks off after a number of results; nil for none.
    mutating func run(through sequence: UInt64, until limit: Int? = nil) {
        sessionCount += 1
        var configuration = SessionConfiguration.one()
        configuration.source = source
        configuration.saveToken = "s\(sessionCount)"
        var checkpointer = Checkpointer(configuration, collection: 0, isLegacy: true)
        var actions = SessionActions()
        _ = checkpointer.begin(nil, &actions)
        var queue = actions.takeActions()
        var left = limit ?? .max
        var hasSaved = false
        while true {
            if checkpointer.isReady, queue.isEmpty, !hasSaved {
                hasSaved = true
                checkpointer.update(at: ContinuousClock.now) { $0.completed.insert(0..<(sequence + 1)) }
                checkpointer.save(time: 1, &actions)
                queue = actions.takeActions()
            }
            guard !queue.isEmpty, left > 0 else { return }
            left -= 1
            let (task, result) = perform(queue.removeFirst())
            _ = checkpointer.finished(task, result, &actions)
            queue += actions.takeActions()
        }
    }

    private mutating func perform(_ action: SessionAction) -> (TaskID, TaskResult) {
        switch action {
        case .store(.loadCheckpoint, _, let task): return (task, .store(.checkpoint(local)))
        case .store(.saveCheckpoint(_, let body), _, let task):
            local = body
            return (task, .store(.done))
        case .store(.startNewSource(let former), _, let task):
            newSourceCount += 1
            if source == former { source += "'" }
            return (task, .store(.newSource(source)))
        case .send(let message, let task) where message.properties["Profile"] == "getCheckpoint":
            let reply = remote.map { BLIPReply(properties: ["rev": "\($0.revision)-cc"], body: $0.body) }
            return (task, .reply(reply ?? BLIPReply(status: 404)))
        case .send(let message, let task):
            remote = (message.body, (remote?.revision ?? 0) + 1)
            return (task, .reply(BLIPReply(properties: ["rev": "\(remote?.revision ?? 0)-cc"])))
        default:
            Issue.record("\(action)")
            return (TaskID(value: 0), .store(.done))
        }
    }
}

@Suite("marks of checkpoints")
struct CheckpointMarkTests {
    @Test("a file that is put back after any further save is detected, once")
    func putBack() {
        var world = MarkedWorld()
        let empty = world.local
        world.run(through: 1)
        let first = world.local
        world.run(through: 2)
        world.run(through: 3)
        #expect(world.newSourceCount == 0)
        for copy in [first, empty] {
            let source = world.source
            world.local = copy
            world.run(through: 2)
            #expect(world.source == source + "'")
            world.run(through: 3)
            world.run(through: 4)
            #expect(world.source == source + "'")
        }
        #expect(world.newSourceCount == 2)
    }

    @Test("the same copy that is put back again is detected again")
    func again() {
        var world = MarkedWorld()
        world.run(through: 1)
        let copy = world.local
        world.run(through: 2)
        for round in 1...3 {
            (world.local, world.source) = (copy, "A")
            world.run(through: 2)
            #expect(world.newSourceCount == round)
            world.run(through: 3)
        }
        #expect(world.newSourceCount == 3)
    }

    @Test("two copies of a file in two places, each with its source, aren't taken for one")
    func twoPlaces() {
        var world = MarkedWorld()
        world.run(through: 1)
        var other = world.local
        for source in ["B", "A", "B", "A", "B"] {
            (world.local, other, world.source) = (other, world.local, source)
            world.run(through: 2)
        }
        #expect(world.newSourceCount == 0)
    }

    @Test("a session that breaks off anywhere isn't taken for an older file, and hides none")
    func brokenOff() {
        for step in 0...6 {
            var world = MarkedWorld()
            world.run(through: 1)
            let copy = world.local
            world.run(through: 2, until: step)
            world.run(through: 3, until: step)
            world.run(through: 3)
            #expect(world.newSourceCount == 0, "\(step)")
            world.local = copy
            world.run(through: 2, until: step)
            world.run(through: 2)
            #expect(world.source == "A'", "\(step)")
        }
    }

    @Test("a copy that has counted as far as the file is detected by the session's text")
    func sameNumber() {
        var world = MarkedWorld()
        world.run(through: 1)
        let copy = world.local
        world.run(through: 2)
        let remote = world.remote
        // The copy counts on, and the remote doesn't get to know.
        (world.local, world.remote) = (copy, nil)
        world.run(through: 2)
        world.remote = remote
        world.run(through: 3)
        #expect(world.newSourceCount == 1)
    }

    @Test("a file that has another source by now needs no new one, and a remote that was set back shows nothing")
    func nothing() {
        var world = MarkedWorld()
        world.run(through: 1)
        let (copy, remote) = (world.local, world.remote)
        world.run(through: 2)
        (world.local, world.source) = (copy, "B")
        world.run(through: 2)
        world.remote = remote
        world.run(through: 3)
        world.remote = nil
        world.run(through: 4)
        #expect(world.newSourceCount == 0 && world.source == "B")
    }

    @Test("a mark is read as it was written, and anything else isn't one")
    func reading() throws {
        var marks = CheckpointMarks()
        marks.add(CheckpointMark(serial: 7, token: "t", source: "s"))
        marks.add(CheckpointMark(serial: 3, token: "t", source: "s"))
        marks.add(CheckpointMark(serial: 2, token: "u", source: "former"))
        var checkpoint = Checkpoint()
        checkpoint.completed = SequenceSet(through: 3)
        let json = checkpoint.json(time: 1, marks)
        let former = #"{"serial":2,"token":"u","source":"former"}"#
        #expect(
            String(decoding: json, as: UTF8.self)
                == #"{"time":1,"local":3,"saves":[{"serial":7,"token":"t","source":"s"},\#(former)]}"#)
        #expect(CheckpointMarks(json: json, limits: MessageLimits()) == marks)
        #expect(try Checkpoint(json: json, limits: MessageLimits()) == checkpoint)
        for text in [
            "{}", "[]", "", #"{"saves":7}"#, #"{"saves":[7]}"#, #"{"saves":[{"serial":0,"token":"t","source":"s"}]}"#,
            #"{"saves":[{"serial":-1,"token":"t","source":"s"}]}"#, #"{"saves":[{"serial":1,"token":"t"}]}"#,
            #"{"saves":[{"serial":99999999999999999999,"token":"t","source":"s"}]}"#,
            #"{"saves":[{"serial":1,"token":1,"source":"s"}]}"#,
        ] {
            #expect(CheckpointMarks(json: Array(text.utf8), limits: MessageLimits()).all.isEmpty, "\(text)")
        }
        for number in 0..<100 { marks.add(CheckpointMark(serial: 100, token: "t", source: "\(number)")) }
        #expect(marks.all.count == CheckpointMarks.limit)
    }
}

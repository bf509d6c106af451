import Testing

@testable import SealiteProtocol
@testable import SealiteProtocolTestSupport

/// A checkpointer with both copies of the checkpoint, which are played by hand.
private struct DrivenCheckpointer {
    var checkpointer: Checkpointer
    private var actions = SessionActions()
    private(set) var events: [Checkpointer.Event] = []
    let start = ContinuousClock.now

    init(
        lastSequence: UInt64 = 0, isReset: Bool = false, previousID: String? = nil, push: Bool = true, pull: Bool = true
    ) {
        var configuration = SessionConfiguration.one(push: push, pull: pull)
        configuration.isReset = isReset
        configuration.collections[0].lastSequence = lastSequence
        configuration.collections[0].previousCheckpointID = previousID
        checkpointer = Checkpointer(configuration, collection: 0, isLegacy: true)
    }

    mutating func begin() -> [SessionAction] {
        _ = checkpointer.begin(nil, &actions)
        return actions.takeActions()
    }

    mutating func finish(_ task: TaskID, _ result: TaskResult) -> [SessionAction] {
        if let event = checkpointer.finished(task, result, &actions) { events.append(event) }
        return actions.takeActions()
    }

    /// Begins with the JSON of both copies; nil is none.
    mutating func begin(local: String?, remote: String?) throws -> Checkpoint {
        let actions = begin()
        let (load, ask) = (try #require(actions.stores.first), try #require(actions.sent(.getCheckpoint).first))
        let reply =
            remote.map { BLIPReply(properties: ["rev": "7-cc"], body: Array($0.utf8)) } ?? BLIPReply(status: 404)
        _ = finish(ask.task, .reply(reply))
        #expect(!checkpointer.isReady)
        _ = finish(load.task, .store(.checkpoint(local.map { Array($0.utf8) })))
        #expect(events == [.ready])
        return checkpointer.checkpoint
    }

    /// Completes sequences, and saves them.
    mutating func save(through sequence: UInt64) -> [SessionAction] {
        checkpointer.update(at: start) { $0.completed.insert(0..<(sequence + 1)) }
        checkpointer.save(time: 1, &actions)
        return actions.takeActions()
    }
}

@Suite("checkpointer")
struct CheckpointerTests {
    @Test("both copies of the checkpoint are read, and the session begins when both are there")
    func reading() throws {
        var driven = DrivenCheckpointer()
        let actions = driven.begin()
        #expect(actions.stores.map(\.request) == [.loadCheckpoint(id: "cp-1")])
        #expect(actions.sent(.getCheckpoint).map(\.message.properties["client"]) == ["cp-1"])
        for task in [actions.stores[0].task, actions.sent(.getCheckpoint)[0].task] {
            #expect(driven.events.isEmpty)
            let isStore = task == actions.stores[0].task
            #expect(driven.finish(task, isStore ? .store(.checkpoint(nil)) : .reply(BLIPReply(status: 404))).isEmpty)
        }
        #expect(driven.events == [.ready] && driven.checkpointer.isSaved && !driven.checkpointer.wasLost)
    }

    /// A local and a remote copy, and where a session begins with them.
    struct Copies: Sendable, CustomTestStringConvertible {
        let local, remote: String?
        let begins: UInt64
        let isLost: Bool
        /// The remote sequence after which the peer is asked.
        var since: String?

        var testDescription: String { "\(local ?? "none") and \(remote ?? "none")" }
    }

    @Test(
        "a session begins where both copies agree; a remote that says less has lost something, and all is offered again",
        arguments: [
            Copies(local: nil, remote: nil, begins: 0, isLost: false),
            Copies(local: #"{"local":5}"#, remote: #"{"local":5}"#, begins: 5, isLost: false),
            // Behind.
            Copies(
                local: #"{"local":9,"remote":4}"#, remote: #"{"local":5,"remote":3}"#, begins: 5, isLost: true,
                since: "3"),
            Copies(
                local: #"{"local":9,"remote":4}"#, remote: #"{"local":9,"remote":3}"#, begins: 9, isLost: true,
                since: "3"),
            Copies(local: #"{"local":9,"remote":4}"#, remote: #"{"local":9}"#, begins: 9, isLost: true),
            Copies(local: #"{"local":9}"#, remote: nil, begins: 0, isLost: true),
            Copies(local: #"{"local":9}"#, remote: "[]", begins: 0, isLost: true),
            // Ahead: the local copy of the last save was lost, or never written.
            Copies(
                local: #"{"local":5,"remote":3}"#, remote: #"{"local":9,"remote":4}"#, begins: 5, isLost: false,
                since: "3"),
            // Unknown here.
            Copies(local: nil, remote: #"{"local":9,"remote":4}"#, begins: 0, isLost: false),
            Copies(local: "nonsense", remote: #"{"local":9,"remote":4}"#, begins: 0, isLost: false),
            // Of sequences that can't be compared.
            Copies(local: #"{"remote":"a"}"#, remote: #"{"remote":"b"}"#, begins: 0, isLost: false),
        ])
    func agreement(_ copies: Copies) throws {
        var driven = DrivenCheckpointer(lastSequence: 20)
        let begun = try driven.begin(local: copies.local, remote: copies.remote)
        #expect(begun.completed.contiguousThrough == copies.begins && begun.remote?.json == copies.since)
        #expect(driven.checkpointer.wasLost == copies.isLost)
        #expect(begun.reofferedThrough == (copies.isLost ? 20 : nil))
    }

    @Test("a reset ignores the copies, and has everything offered again")
    func reset() throws {
        var driven = DrivenCheckpointer(lastSequence: 20, isReset: true)
        let begun = try driven.begin(local: #"{"local":5,"remote":3}"#, remote: #"{"local":5,"remote":3}"#)
        #expect(begun.completed.isEmpty && begun.remote == nil && begun.reofferedThrough == 20)
        #expect(!driven.checkpointer.wasLost)
    }

    @Test("a reset is saved at once, and needs no repetition when all collections have saved it")
    func resetOfCollections() throws {
        var configuration = SessionConfiguration.one(path: "app.notes")
        configuration.collections.append(
            SessionConfiguration.Collection(path: "app.tasks", checkpointID: "cp-2", isPush: true, isPull: true))
        configuration.isReset = true
        let now = Now(moment: ContinuousClock.now, unixSeconds: 1)
        var session = ActiveSession(configuration)
        let ask = try #require(session.start(at: now).sent(.getCollections).first)
        let loads = session.finish(ask.task, .reply(BLIPReply(json: "[{},{}]")), at: now).stores
        #expect(loads.map(\.request) == [.loadCheckpoint(id: "cp-1"), .loadCheckpoint(id: "cp-2")])
        for (index, load) in loads.enumerated() {
            let copy = Array(#"{"local":5,"remote":3}"#.utf8)
            let begun = session.finish(load.task, .store(.checkpoint(copy)), at: now)
            let save = try #require(begun.sent(.setCheckpoint).first)
            #expect(String(decoding: save.message.body, as: UTF8.self) == #"{"time":1}"#)
            let saved = session.finish(save.task, .reply(BLIPReply(properties: ["rev": "1-cc"])), at: now)
            let local = try #require(saved.stores.first)
            _ = session.finish(local.task, .store(.done), at: now)
            #expect(session.status.hasSavedCheckpoint)
            #expect(session.status.hasSavedAllCheckpoints == (index == 1))
        }
    }

    @Test("a session of one direction keeps the other's part, and records for it that the remote lost documents")
    func oneDirection() throws {
        let both = #"{"local":5,"remote":3}"#
        for isReset in [false, true] {
            var pull = DrivenCheckpointer(lastSequence: 20, isReset: isReset, push: false)
            let pulling = try pull.begin(local: both, remote: both)
            #expect(pulling.completed.contiguousThrough == 5 && pulling.reofferedThrough == nil)
            #expect(pulling.remote?.json == (isReset ? nil : "3"))
            var push = DrivenCheckpointer(lastSequence: 20, isReset: isReset, pull: false)
            let pushing = try push.begin(local: both, remote: both)
            #expect(pushing.remote?.json == "3" && pushing.completed.contiguousThrough == (isReset ? 0 : 5))
            #expect(pushing.reofferedThrough == (isReset ? 20 : nil))
            var lost = DrivenCheckpointer(lastSequence: 20, isReset: isReset, push: false)
            let empty = try lost.begin(local: both, remote: nil)
            #expect(empty.completed.isEmpty && empty.reofferedThrough == 20 && lost.checkpointer.wasLost)
        }
    }

    @Test("a copied database takes the original's checkpoint over, and saves it under its own name")
    func previous() throws {
        var driven = DrivenCheckpointer(previousID: "cp-0")
        let actions = driven.begin()
        _ = driven.finish(try #require(actions.sent(.getCheckpoint).first).task, .reply(BLIPReply(status: 404)))
        let load = driven.finish(try #require(actions.stores.first).task, .store(.checkpoint(nil)))
        #expect(load.stores.map(\.request) == [.loadCheckpoint(id: "cp-0")] && driven.events.isEmpty)
        let copy = Array(#"{"local":5}"#.utf8)
        let ask = driven.finish(try #require(load.stores.first).task, .store(.checkpoint(copy))).sent(.getCheckpoint)
        #expect(ask.map(\.message.properties["client"]) == ["cp-0"] && driven.events.isEmpty)
        _ = driven.finish(try #require(ask.first).task, .reply(BLIPReply(body: copy)))
        #expect(driven.events == [.ready] && driven.checkpointer.checkpoint.completed.contiguousThrough == 5)
        #expect(!driven.checkpointer.isSaved)
    }

    @Test("the remote's copy is saved first, then the local one, and what changes meanwhile afterwards")
    func saving() throws {
        var driven = DrivenCheckpointer()
        _ = try driven.begin(local: nil, remote: nil)
        let remote = driven.save(through: 3)
        #expect(remote.stores.isEmpty && !driven.checkpointer.isSaved && driven.checkpointer.deadline == nil)
        let message = try #require(remote.sent(.setCheckpoint).first)
        #expect(String(decoding: message.message.body, as: UTF8.self) == #"{"time":1,"local":3}"#)
        // Nothing is sent beside a save that is under way.
        #expect(driven.save(through: 4).isEmpty)
        let local = driven.finish(message.task, .reply(BLIPReply(properties: ["rev": "1-cc"])))
        #expect(local.stores.map(\.request) == [.saveCheckpoint(id: "cp-1", body: message.message.body)])
        #expect(!driven.checkpointer.hasSaved)
        _ = driven.finish(try #require(local.stores.first).task, .store(.done))
        #expect(driven.checkpointer.hasSaved && !driven.checkpointer.isSaved)
        let due = try #require(driven.checkpointer.deadline)
        #expect(due == driven.start.advanced(by: .seconds(5)))
        let next = try #require(driven.save(through: 4).sent(.setCheckpoint).first)
        #expect(next.message.properties["rev"] == "1-cc")
    }

    @Test(
        "another revision of the remote's copy is read, and the save is tried again three times", arguments: [409, 404])
    func otherRevision(_ status: Int) throws {
        var driven = DrivenCheckpointer()
        _ = try driven.begin(local: nil, remote: nil)
        var actions = driven.save(through: 3)
        var attempts = 0
        while let save = actions.sent(.setCheckpoint).first, attempts < 10 {
            attempts += 1
            actions = driven.finish(save.task, .reply(BLIPReply(status: status)))
            guard let ask = actions.sent(.getCheckpoint).first else { break }
            let found = BLIPReply(properties: ["rev": "\(attempts)-cc"])
            actions = driven.finish(ask.task, .reply(status == 409 ? found : BLIPReply(status: 404)))
            let again = actions.sent(.setCheckpoint).map(\.message.properties["rev"])
            #expect(again == [status == 409 ? "\(attempts)-cc" : nil])
        }
        #expect(attempts == 4)
        #expect(driven.events.last == .notSaved(SessionError(.http(status), "")) && !driven.checkpointer.hasSaved)
    }

    @Test("an error of the remote or of the database ends the session", arguments: [400, 401, 500, 503])
    func errors(_ status: Int) throws {
        var driven = DrivenCheckpointer()
        let actions = driven.begin()
        _ = driven.finish(try #require(actions.sent(.getCheckpoint).first).task, .reply(BLIPReply(status: status)))
        #expect(driven.events == [.failed(SessionError(.http(status), ""))])
        let failure = StoreFailure(isTransient: false, reason: "damaged")
        _ = driven.finish(try #require(actions.stores.first).task, .store(.failed(failure)))
        #expect(driven.events.last == .failed(SessionError(failure)) && !driven.checkpointer.isReady)
        // Results for nobody bring nothing about.
        _ = driven.finish(TaskID(value: 99), .reply(BLIPReply(json: #"{"local":7}"#)))
        #expect(driven.events.count == 2)
    }

    @Test(
        "a connection that is lost while a checkpoint is saved leaves copies of which the next session takes the earlier"
    )
    func lostConnection() throws {
        for stepCount in 0...2 {
            var (local, remote) = (#"{"local":2}"#, #"{"local":2}"#)
            var driven = DrivenCheckpointer(lastSequence: 9)
            _ = try driven.begin(local: local, remote: remote)
            let save = try #require(driven.save(through: 9).sent(.setCheckpoint).first)
            if stepCount > 0 {
                remote = String(decoding: save.message.body, as: UTF8.self)
                let actions = driven.finish(save.task, .reply(BLIPReply(properties: ["rev": "8-cc"])))
                if stepCount > 1, case .saveCheckpoint(_, let body)? = actions.stores.first?.request {
                    local = String(decoding: body, as: UTF8.self)
                }
            }
            var next = DrivenCheckpointer(lastSequence: 9)
            let begun = try next.begin(local: local, remote: remote)
            #expect(begun.completed.contiguousThrough == (stepCount == 2 ? 9 : 2))
            #expect(!next.checkpointer.wasLost && begun.reofferedThrough == nil)
        }
    }
}

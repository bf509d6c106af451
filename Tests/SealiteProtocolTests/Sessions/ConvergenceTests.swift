@testable import SealiteProtocolTestSupport
@testable import SealiteProtocol
import SealiteTestSupport
import Testing
import SealiteRevisions

@Suite("three databases that sync with each other")
struct ConvergenceTests {
    /// Two active databases around a passive one, with connections that break at any moment.
    final class World {
        let hub = MemoryStore()
        let outer = [MemoryStore(), MemoryStore()]
        var random: SeededRandom
        private var links: [Link?] = [nil, nil]
        private(set) var disconnectCount = 0
        private(set) var conflictCount = 0
        private(set) var sessionErrors: [SessionError] = []

        private struct Link {
            let active: SessionNode<ActiveSession>
            let passive: SessionNode<PassiveSession>
        }

        init(seed: UInt64) { random = SeededRandom(seed: seed) }

        var stores: [MemoryStore] { [hub] + outer }

        /// Changes, deletes or makes a document somewhere, perhaps with an attachment.
        func edit() throws {
            guard let store = stores.randomElement(using: &random) else { return }
            let id = "doc-\(Int.random(in: 0..<12, using: &random))"
            switch Int.random(in: 0..<6, using: &random) {
            case 0 where store.documents[id] != nil && !store.isDeleted(id): store.save(id, "{}", isDeleted: true)
            case 1:
                let content = random.bytes(Int.random(in: 0..<3_000, using: &random))
                let digest = try store.saveAttachment(content)
                store.save(id, #"{"b":{"@type":"blob","digest":"\#(digest)","length":\#(content.count)}}"#)
            default: store.save(id, #"{"n":\#(random.next() % 1_000)}"#)
            }
        }

        func connect(_ index: Int) throws {
            let configuration = SessionConfiguration.one(checkpointID: "cp-\(index)", isContinuous: true)
            let link = Link(
                active: try SessionNode(ActiveSession(configuration), [outer[index]]),
                passive: try SessionNode(PassiveSession(.init(collections: ["_default"])), [hub]))
            link.active.start()
            links[index] = link
        }

        func disconnect(_ index: Int) {
            links[index]?.active.disconnect()
            links[index]?.passive.disconnect()
            links[index] = nil
            disconnectCount += 1
        }

        /// Does one thing on a connection; false if there is nothing to do.
        func step(_ index: Int, mayWake: Bool) throws -> Bool {
            guard let link = links[index] else { return false }
            if let error = link.active.closed?.error { sessionErrors.append(error) }
            let isFirst = Bool.random(using: &random)
            for turn in 0..<4 {
                switch (turn + (isFirst ? 0 : 2)) % 4 {
                case 0:
                    if let frame = try link.active.endpoint.nextFrame() {
                        try link.passive.receive(frame)
                        return true
                    }
                case 1: if link.active.work() { return true }
                case 2:
                    if let frame = try link.passive.endpoint.nextFrame() {
                        try link.active.receive(frame)
                        return true
                    }
                default: if link.passive.work() { return true }
                }
            }
            return mayWake && (link.active.wake() || link.passive.wake())
        }

        func resolve() {
            for store in outer {
                for (id, document) in store.documents.sorted(by: { $0.key < $1.key }) where document.conflict != nil {
                    conflictCount += 1
                    store.resolve(id, keepingLocal: Bool.random(using: &random))
                }
            }
        }

        /// Runs until nothing happens any more on any connection.
        func settle() throws {
            for index in links.indices where links[index] == nil { try connect(index) }
            for _ in 0..<1_000_000 {
                let moved = try step(0, mayWake: false)
                let alsoMoved = try step(1, mayWake: false)
                if moved || alsoMoved { continue }
                if outer.contains(where: { $0.documents.values.contains { $0.conflict != nil } }) {
                    resolve()
                } else {
                    let woke = try step(0, mayWake: true)
                    let alsoWoke = try step(1, mayWake: true)
                    if !woke && !alsoWoke { return }
                }
            }
            throw TranscriptError.malformed(0)
        }
    }

    @Test("random edits and disconnects on all sides end in the same documents everywhere")
    func convergence() throws {
        let worlds = try TestSeed.seeds(10).map { try converged(seed: $0) }
        #expect(worlds.reduce(0) { $0 + $1.disconnectCount } > 100)
        #expect(worlds.reduce(0) { $0 + $1.conflictCount } > 10)
        #expect(worlds.reduce(0) { $0 + $1.hub.documents.count } > 50)
    }

    private func converged(seed: UInt64) throws -> World {
        let world = World(seed: seed)
        for _ in 0..<3_000 {
            let index = Int.random(in: 0...1, using: &world.random)
            switch Int.random(in: 0..<100, using: &world.random) {
            case 0..<3: try world.edit()
            case 3: world.disconnect(index)
            case 4: try world.connect(index)
            case 5: world.resolve()
            default: _ = try world.step(index, mayWake: Int.random(in: 0..<10, using: &world.random) == 0)
            }
        }
        try world.settle()
        let hub = world.hub
        #expect(world.sessionErrors == [], "seed \(seed)")
        for store in world.outer {
            #expect(store.currentRevisions == hub.currentRevisions, "seed \(seed)")
            for id in hub.documents.keys {
                #expect(
                    store.body(id) == hub.body(id) && store.isDeleted(id) == hub.isDeleted(id), "seed \(seed) \(id)")
            }
            for need in hub.documents.keys.compactMap({ hub.body($0) }).flatMap({
                MemoryAttachments.needs(of: Array($0.utf8))
            }) {
                #expect(store.attachments[need.digest] != nil, "seed \(seed)")
            }
        }
        return world
    }
}

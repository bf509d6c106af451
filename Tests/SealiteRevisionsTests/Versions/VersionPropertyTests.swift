import SealiteTestSupport
import Testing

@testable import SealiteRevisions

/// Peers that change one document, take each other's states and merge, beside what truly descends from what.
private struct World {
    /// A state: its vector, and all versions that it descends from, itself included.
    struct State: Hashable {
        var vector: VersionVector
        var ancestry: Set<SourceVersion>
    }

    var numbers: SeededRandom
    var states: [State] = []
    private var peers: [State?]
    private var time: UInt64 = 0x100_0000_0000
    private let sources: [SourceID]
    private let previousCount: Int

    init(seed: UInt64, peerCount: Int, previousCount: Int = VersionVector.maximumPreviousCount) {
        numbers = SeededRandom(seed: seed)
        sources = (0..<peerCount).map { source(numbered: $0) }
        peers = Array(repeating: nil, count: peerCount)
        self.previousCount = previousCount
    }

    private mutating func nextVersion(of peer: Int) -> SourceVersion {
        time += .random(in: 1..<5, using: &numbers)
        return version(time, sources[peer])
    }

    mutating func step() {
        let peer = Int.random(in: 0..<peers.count, using: &numbers)
        if Bool.random(using: &numbers) {
            change(peer)
        } else if let other = peers.randomElement(using: &numbers) ?? nil {
            take(other, by: peer)
        }
    }

    private mutating func change(_ peer: Int) {
        let next = nextVersion(of: peer)
        let vector = peers[peer]?.vector.changed(to: next) ?? VersionVector(next)
        keep(vector, (peers[peer]?.ancestry ?? []).union([next]), by: peer)
    }

    private mutating func take(_ other: State, by peer: Int) {
        guard let own = peers[peer] else { return keep(other.vector, other.ancestry, by: peer) }
        if own.ancestry.isSubset(of: other.ancestry) { return keep(other.vector, other.ancestry, by: peer) }
        if other.ancestry.isSubset(of: own.ancestry) { return }
        let next = nextVersion(of: peer)
        keep(
            own.vector.merged(with: other.vector, to: next), own.ancestry.union(other.ancestry).union([next]),
            by: peer)
    }

    private mutating func keep(_ vector: VersionVector, _ ancestry: Set<SourceVersion>, by peer: Int) {
        let state = State(vector: vector.bounded(previousCount: previousCount), ancestry: ancestry)
        peers[peer] = state
        states.append(state)
    }

    static func truth(_ left: State, _ right: State) -> VersionOrder {
        if left.ancestry == right.ancestry { return .same }
        if left.ancestry.isSuperset(of: right.ancestry) { return .newer }
        return left.ancestry.isSubset(of: right.ancestry) ? .older : .conflicting
    }
}

@Suite("properties of version vectors")
struct VersionPropertyTests {
    @Test(
        "the order is that of what truly descends from what, and so a partial order",
        arguments: TestSeed.seeds(10))
    func partialOrder(seed: UInt64) {
        var world = World(seed: seed, peerCount: 5)
        for _ in 0..<120 { world.step() }
        for left in world.states {
            for right in world.states where left.vector.order(to: right.vector) != World.truth(left, right) {
                Issue.record("seed \(seed): \(left.vector.text()) and \(right.vector.text())")
                return
            }
        }
    }

    @Test("short vectors take no conflict, and no older state, for a newer one")
    func pruned() {
        let falseConflicts = TestSeed.seeds(10).reduce(0) { $0 + falseConflictsOfShortVectors(seed: $1) }
        #expect(falseConflicts > 0, "no vector was too short")
    }

    private func falseConflictsOfShortVectors(seed: UInt64) -> Int {
        var world = World(seed: seed, peerCount: 9, previousCount: 3)
        for _ in 0..<150 { world.step() }
        var falseConflicts = 0
        for left in world.states {
            for right in world.states {
                let (order, truth) = (left.vector.order(to: right.vector), World.truth(left, right))
                if order == truth { continue }
                guard order == .conflicting else {
                    Issue.record(
                        "seed \(seed): \(left.vector.text()) is \(order) than \(right.vector.text()), not \(truth)")
                    return falseConflicts
                }
                falseConflicts += 1
            }
        }
        return falseConflicts
    }

    @Test(
        "keeping one state over others is idempotent, and doesn't depend on how they are grouped",
        arguments: TestSeed.seeds(20))
    func absorbing(seed: UInt64) {
        var world = World(seed: seed, peerCount: 6)
        for _ in 0..<60 { world.step() }
        for _ in 0..<200 {
            guard let first = world.states.randomElement(using: &world.numbers)?.vector,
                let second = world.states.randomElement(using: &world.numbers)?.vector,
                let third = world.states.randomElement(using: &world.numbers)?.vector
            else { return }
            if first.absorbing(first) != first { Issue.record("seed \(seed): \(first.text())") }
            guard let left = first.absorbing(second)?.absorbing(third),
                let inner = second.absorbing(third), let right = first.absorbing(inner)
            else { continue }
            if left != right { Issue.record("seed \(seed): \(first.text()) over \(second.text()) and \(third.text())") }
            if left.absorbing(second) != left {
                Issue.record("seed \(seed): \(left.text()) over \(second.text()) again")
            }
        }
    }

    @Test("merging knows the same however states are grouped", arguments: TestSeed.seeds(10))
    func mergingIsAssociative(seed: UInt64) throws {
        var world = World(seed: seed, peerCount: 6)
        for _ in 0..<60 { world.step() }
        let result = SourceVersion(time: .latest, source: source("z"))
        let before = version(HybridTime.latest.rawValue - 1, source("z"))
        for _ in 0..<100 {
            let states = (0..<3).compactMap { _ in world.states.randomElement(using: &world.numbers)?.vector }
            try #require(states.count == 3)
            let left = states[0].merged(with: states[1], to: before).merged(with: states[2], to: result)
            let right = states[0].merged(with: states[1].merged(with: states[2], to: before), to: result)
            func known(_ vector: VersionVector) -> Set<SourceVersion> {
                Set(vector.versions.filter { $0.source != result.source })
            }
            if known(left) != known(right) { Issue.record("seed \(seed): \(left.text()) and \(right.text())") }
            let again = states[0].merged(with: states[0], to: result)
            if known(again) != Set(states[0].versions.filter { again.time(of: $0.source) == $0.time }) {
                Issue.record("seed \(seed): \(again.text())")
            }
        }
    }

    @Test("texts and stored forms round-trip", arguments: TestSeed.seeds(10))
    func forms(seed: UInt64) throws {
        var world = World(seed: seed, peerCount: 8)
        for _ in 0..<100 { world.step() }
        let me = source(numbered: 0)
        let ids = ["3-abcd", "2-0123", "1-x"].compactMap { RevisionID($0) }
        for state in world.states {
            if try VersionVector(state.vector.text()) != state.vector {
                Issue.record("seed \(seed): \(state.vector.text())")
            }
            let relative = state.vector.text(me: me)
            if try VersionVector(relative, me: me) != state.vector { Issue.record("seed \(seed): \(relative)") }
            let history = VersionHistory(state.vector, revisions: ids)
            if try VersionHistory(history.text) != history { Issue.record("seed \(seed): \(history.text)") }
            if try VersionHistory(version: history.versionText, history: history.historyText) != history {
                Issue.record("seed \(seed): \(history.text) in two parts")
            }
            var (bytes, position) = ([UInt8](), 0)
            history.appendStored(to: &bytes)
            if VersionHistory(current: state.vector.current.storedCurrent, stored: bytes.span, &position) != history {
                Issue.record("seed \(seed): \(history.text), stored")
            }
        }
    }
}

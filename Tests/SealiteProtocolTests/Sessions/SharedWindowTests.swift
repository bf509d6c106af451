import SealiteRevisions
import SealiteTestSupport
import Testing

@testable import SealiteProtocol
@testable import SealiteProtocolTestSupport

@Suite("the window that the collections of a connection share")
struct SharedWindowTests {
    /// A window in a place that the test macros can use, which take copies of values.
    private final class Place {
        var window = SharedWindow(count: 10, byteCount: 1_000)
        func admits(_ collection: Int) -> Bool { window.admits(collection) }
        func beginTurn() -> Int? { window.beginTurn() }
    }

    @Test("who finds no room waits, and has its turn in the order of waiting, before whoever comes later")
    func turns() {
        let place = Place()
        #expect(place.admits(1))
        place.window.setShare(of: 1, to: .init(count: 9, byteCount: 10))
        // One that is admitted below the limit may exceed it.
        #expect(place.admits(2))
        place.window.setShare(of: 2, to: .init(count: 5))
        #expect(!place.admits(3) && !place.admits(1) && !place.admits(3) && place.beginTurn() == nil)
        place.window.setShare(of: 1, to: .init(count: 3, byteCount: 10))
        // There is room, and others wait.
        #expect(!place.admits(2) && place.window.total == .init(count: 8, byteCount: 10))
        #expect(place.beginTurn() == 3 && place.admits(3))
        place.window.setShare(of: 3, to: .init(count: 1, byteCount: 990))
        place.window.endTurn()
        // The bytes are used up.
        #expect(place.beginTurn() == nil)
        place.window.setShare(of: 3, to: .init())
        #expect(place.beginTurn() == 1)
        // It doesn't use its turn; the next one has it.
        place.window.endTurn()
        #expect(place.beginTurn() == 2 && place.admits(2) && place.beginTurn() == nil)
        #expect(place.admits(7) && place.window.total == .init(count: 8, byteCount: 10))
    }

    private static let paths = (0..<45).map { "c\($0)" }

    private func configuration(_ paths: [String], isPush: Bool) -> SessionConfiguration {
        SessionConfiguration(
            collections: paths.map {
                SessionConfiguration.Collection(path: $0, checkpointID: "cp-\($0)", isPush: isPush, isPull: !isPush)
            })
    }

    @Test(
        "45 collections of 300 documents stay within what a peer may leave unanswered, the other side's windows or not",
        arguments: ["push", "pull", "pull from a peer without windows"])
    func manyCollections(_ way: String) throws {
        let isPush = way == "push"
        let (here, there) = (Self.paths.map { _ in MemoryStore() }, Self.paths.map { _ in MemoryStore() })
        for store in isPush ? here : there { for number in 0..<300 { store.save("d\(number)", "{}") } }
        var limits = SessionLimits()
        if way == "pull from a peer without windows" {
            (limits.sharedListsInFlight, limits.sharedUnansweredRevisions) = (.max, .max)
            limits.sharedUnansweredByteCount = .max
        }
        let active = try SessionNode(ActiveSession(configuration(Self.paths, isPush: isPush)), here)
        let passive = try SessionNode(PassiveSession(.init(collections: Self.paths, limits: limits)), there)
        active.start()
        var most = 0
        try SessionRun.run(active, passive) {
            let receiver = isPush ? passive.endpoint : active.endpoint
            most = max(most, receiver.multiplexer.unansweredRequestCount)
        }
        #expect(active.closed?.code == 1_000 && active.closed?.error == nil, "\(String(describing: active.closed))")
        #expect(
            zip(here, there).allSatisfy {
                $0.currentRevisions.count == 300 && $0.currentRevisions == $1.currentRevisions
            })
        // A few hundred more, where each of the collections may have begun a list or a batch below the limit.
        #expect((1_000...2_700).contains(most), "\(most)")
    }

    @Test("a large collection doesn't keep small ones waiting", arguments: [true, false])
    func fair(isPush: Bool) throws {
        let paths = Array(Self.paths.prefix(20))
        let (here, there) = (paths.map { _ in MemoryStore() }, paths.map { _ in MemoryStore() })
        for (index, store) in (isPush ? here : there).enumerated() {
            for number in 0..<(index == 0 ? 3_000 : 10) { store.save("d\(number)", "{}") }
        }
        let active = try SessionNode(ActiveSession(configuration(paths, isPush: isPush)), here)
        let passive = try SessionNode(PassiveSession(.init(collections: paths)), there)
        active.start()
        try SessionRun.run(active, passive)
        #expect(active.closed?.code == 1_000 && active.events.count == 3_190)
        // Time passes only when nothing else happens, so small collections are stored last. What counts is what is sent.
        let sent = (isPush ? active.sent : passive.sent).filter { $0.properties["Profile"] == "rev" }
        let last = try #require(sent.lastIndex { $0.properties["collection"] != "0" })
        #expect(sent.count == 3_190 && last < 1_500, "\(last)")
    }

    @Test("a feed that is cancelled leaves its room to others")
    func cancelled() throws {
        var limits = SessionLimits()
        (limits.sharedUnansweredRevisions, limits.sharedListsInFlight) = (10, 2)
        let stores = [MemoryStore(), MemoryStore()]
        for store in stores { for number in 0..<10 { store.save("d\(number)", "{}") } }
        let node = try SessionNode(PassiveSession(.init(collections: ["a", "b"], limits: limits)), stores)
        let peer = try Endpoint()
        let names = #"{"checkpoint_ids":["a","b"],"collections":["a","b"]}"#
        peer.send(BLIPOutgoing(["Profile": "getCollections"], body: Array(names.utf8)))
        var revisions: [String] = []
        /// Passes frames until all is still; lists are answered, and revisions aren't.
        func run() throws {
            while true {
                if let frame = try node.endpoint.nextFrame() {
                    for case .request(let request) in try peer.receive(frame) {
                        if request.profile == "rev" { revisions.append(request.properties["collection"] ?? "") }
                        guard request.profile == "changes", request.wantsReply else { continue }
                        let answer = "[" + [String](repeating: "[]", count: 10).joined(separator: ",") + "]"
                        peer.reply(to: request.number, with: BLIPOutgoing(body: Array(answer.utf8)))
                    }
                } else if let frame = try peer.nextFrame() {
                    try node.receive(frame)
                } else if !node.work(), !node.wake() {
                    return
                }
            }
        }
        for collection in ["0", "1"] { peer.send(BLIPOutgoing(["Profile": "subChanges", "collection": collection])) }
        try run()
        #expect(revisions == [String](repeating: "0", count: 10))
        peer.send(BLIPOutgoing(["Profile": "unsubChanges", "collection": "0"]))
        try run()
        #expect(revisions.suffix(10) == [String](repeating: "1", count: 10)[...])
    }
}

@testable import SealiteProtocol
import SealiteDatabase
import SealiteTestSupport
import Testing

@testable import SealiteReplicator

@Suite("checkpoints that are kept for peers")
struct PeerCheckpointsTests {
    private let server: SyncDatabase
    private let time = ManualTime(unixSeconds: 1_000_000_000)

    init() throws { server = try SyncDatabase() }

    private var stored: Int {
        get throws {
            Int(
                try server.database.scalar(
                    sql: "SELECT count(*) FROM local_values WHERE store = 'peerCheckpoints'"))
        }
    }

    /// Checks its limits at each checkpoint that is saved, by a time that `time` sets.
    private func checkpoints(_ change: (inout PeerCheckpoints.Limits) -> Void) -> PeerCheckpoints {
        var limits = PeerCheckpoints.Limits()
        limits.newBetweenChecks = 1
        limits.bytesBetweenChecks = 1
        change(&limits)
        return PeerCheckpoints(server.database, limits: limits, time: time)
    }

    @Test("of too many those go first that were saved longest ago and least often; the last one stays")
    func count() throws {
        let checkpoints = checkpoints { $0.count = 8 }
        #expect(try checkpoints.save("faithful", of: 1, revision: "", body: [1]) == "1-cc")
        for number in 1..<12 {
            #expect(try checkpoints.save("faithful", of: 1, revision: "\(number)-cc", body: [1]) == "\(number + 1)-cc")
        }
        for number in 0..<100 {
            #expect(try checkpoints.save("once-\(number)", of: 1, revision: "", body: [1]) == "1-cc")
            #expect(try checkpoints.load("once-\(number)", of: 1)?.revision == "1-cc")
            #expect(try checkpoints.load("faithful", of: 1)?.revision == "12-cc" && stored <= 8)
        }
        #expect(try checkpoints.save("faithful", of: 1, revision: "12-cc", body: [2]) == "13-cc")
        // A month later its many revisions count for nothing against new ones.
        for number in 100..<200 {
            time.set(unixSeconds: 1_000_000_000 + 40 * 86_400 + UInt64(number))
            _ = try checkpoints.save("once-\(number)", of: 1, revision: "", body: [1])
        }
        #expect(try checkpoints.load("faithful", of: 1) == nil && checkpoints.load("once-199", of: 1) != nil)
    }

    @Test("the bytes of peers' checkpoints are bounded, names included, and one over the bound is removed with others")
    func bytes() throws {
        let checkpoints = checkpoints { $0.byteCount = 10_000 }
        for number in 0..<50 {
            time.set(unixSeconds: 1_000_000_000 + UInt64(number))
            _ = try checkpoints.save("c\(number)", of: 1, revision: "", body: [UInt8](repeating: 1, count: 1_000))
            let bytes = try server.database.scalar(
                sql: "SELECT sum(length(name) + length(value)) FROM local_values WHERE store = 'peerCheckpoints'")
            #expect(bytes <= 10_000)
        }
        #expect(try checkpoints.load("c49", of: 1) != nil && checkpoints.load("c30", of: 1) == nil && stored >= 7)
    }

    @Test("a peer's checkpoint that wasn't saved for too long goes, a bounded number at a time")
    func age() throws {
        let checkpoints = checkpoints {
            $0.age = 100
            $0.removedTogether = 4
        }
        for number in 0..<10 { _ = try checkpoints.save("old-\(number)", of: 1, revision: "", body: [1]) }
        time.set(unixSeconds: 1_000_000_099)
        _ = try checkpoints.save("young", of: 1, revision: "", body: [1])
        #expect(try stored == 11)
        time.set(unixSeconds: 1_000_000_102)
        var counts: [Int] = []
        for number in 0..<4 {
            _ = try checkpoints.save("new-\(number)", of: 1, revision: "", body: [1])
            counts.append(try stored)
        }
        #expect(counts == [8, 5, 4, 5])
        #expect(try checkpoints.load("young", of: 1) != nil && checkpoints.load("old-0", of: 1) == nil)
    }

    @Test("the limits aren't looked at for each checkpoint, and are kept all the same within a few")
    func amortized() throws {
        var limits = PeerCheckpoints.Limits()
        limits.count = 20
        limits.newBetweenChecks = 8
        let checkpoints = PeerCheckpoints(server.database, limits: limits)
        for number in 0..<200 {
            _ = try checkpoints.save("c\(number)", of: 1, revision: "", body: [1])
            #expect(try stored <= 28)
        }
    }
}

import CoreMetrics
import MetricsTestKit
import SealiteDatabase
import SealiteFile
import SealiteTestSupport
import SealiteTransportTestSupport
import Testing

@testable import SealiteReplicator

@Suite("metrics of syncs", .serialized, .takesSocketTurn)
struct SyncMetricsTests {
    /// The sums of what a back end was given, by name and labels.
    private static func sums(_ metrics: TestMetrics) -> [String: Double] {
        func name(_ label: String, _ dimensions: [(String, String)]) -> String {
            ([label] + dimensions.map(\.1)).joined(separator: " ")
        }
        var sums: [String: Double] = [:]
        for counter in metrics.counters { sums[name(counter.label, counter.dimensions)] = Double(counter.totalValue) }
        for meter in metrics.meters { sums[name(meter.label, meter.dimensions)] = meter.values.last ?? 0 }
        for timer in metrics.timers { sums[name(timer.label, timer.dimensions)] = Double(timer.values.count) }
        for recorder in metrics.recorders {
            sums[name(recorder.label, recorder.dimensions)] = recorder.values.last ?? 0
        }
        return sums
    }

    @Test("a back end gets the numbers of both sides exactly, and no ids, users, addresses or names of collections")
    func both() async throws {
        let (theirs, mine) = (TestMetrics(), TestMetrics())
        let pair = try await withMetricsFactory(theirs) {
            try await NetworkPair.start((client: SyncDatabase(), server: SyncDatabase()))
        }
        for index in 0..<20 { try pair.client.save("marker-c\(index)", #"{"n":\#(index),"marker":1}"#) }
        for index in 0..<30 { try pair.server.save("marker-s\(index)", #"{"n":\#(index)}"#) }
        let blob = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        try pair.client.save("marker-up", attachment: blob)
        try pair.server.save("marker-down", attachment: blob.reversed())
        let replicator = try withMetricsFactory(mine) { try pair.replicator() }
        #expect(try await replicator.run().error == nil)
        // A part of a document travels as a difference.
        let text = String(repeating: "words ", count: 400)
        for database in [pair.client, pair.server] {
            try database.change(database === pair.client ? "marker-c1" : "marker-s1", to: text)
        }
        #expect(try await replicator.run().error == nil)
        for database in [pair.client, pair.server] {
            try database.change(database === pair.client ? "marker-c1" : "marker-s1", to: text + "!")
        }
        #expect(try await replicator.run().error == nil)
        // The replicator ends before the listener has taken leave of its socket and of its session.
        await eventually {
            let sums = Self.sums(theirs)
            return ["sockets", "connections", "active_connections"].allSatisfy { sums["sealite_listener_\($0)"] == 0 }
        }
        let (server, client) = (Self.sums(theirs), Self.sums(mine))
        let expectedOfServer: [String: Double] = [
            "sealite_listener_documents_total received": 23, "sealite_listener_documents_total sent": 33,
            "sealite_listener_blobs_total received": 1, "sealite_listener_blobs_total sent": 1,
            "sealite_listener_accepted_total": 3, "sealite_listener_connections": 0,
            "sealite_listener_active_connections": 0, "sealite_listener_authentication_failures_total": 0,
            "sealite_database_rollbacks_total": 0, "sealite_database_busy_total": 0,
        ]
        for (name, value) in expectedOfServer { #expect(server[name] == value, "\(name): \(server[name] ?? -1)") }
        #expect(server["sealite_listener_network_bytes_total received"] ?? 0 > 10_000)
        #expect(server["sealite_listener_network_bytes_total sent"] ?? 0 > 10_000)
        #expect(server["sealite_listener_store_seconds"] ?? 0 >= 3)
        #expect(server["sealite_database_commit_seconds"] ?? 0 > 32)
        let expectedOfClient: [String: Double] = [
            "sealite_replicator_documents_total pulled": 33, "sealite_replicator_documents_total pushed": 23,
            "sealite_replicators idle": 0, "sealite_replicators busy": 0, "sealite_replicators connecting": 0,
            "sealite_replicators offline": 0, "sealite_replicator_reconnects_total": 0,
        ]
        for (name, value) in expectedOfClient { #expect(client[name] == value, "\(name): \(client[name] ?? -1)") }
        #expect(client["sealite_replicator_last_success_timestamp_seconds"] ?? 0 > 1_700_000_000)
        let deltas = ["received", "sent"].map { server["sealite_listener_deltas_total \($0)"] ?? -1 }
        #expect(deltas.allSatisfy { (1...2).contains($0) }, "\(deltas)")
        for name in Array(server.keys) + client.keys {
            for secret in ["marker", "127.0.0", "_default", "/db"] { #expect(!name.contains(secret), "\(name)") }
        }
        await pair.listener.stop()
        for database in [pair.client, pair.server] { try database.close() }
        #expect(Self.sums(theirs)["sealite_database_file_bytes"] == 0)
    }

    @Test("errors are counted by their codes, attempts after pauses as reconnects, and refused peers by their status")
    func errors() async throws {
        let (theirs, mine) = (TestMetrics(), TestMetrics())
        let held = try HeldPort()
        defer { withExtendedLifetime(held) {} }
        let pair = try await withMetricsFactory(theirs) {
            try await NetworkPair.start {
                $0.port = held.port
                $0.passwordCheck = { _, _ in false }
            }
        }
        let replicator = try withMetricsFactory(mine) { try pair.replicator() }
        await #expect(throws: ReplicatorError.self) { _ = try await replicator.run() }
        let count = Self.sums(theirs)["sealite_listener_refused_total 401"] ?? 0
        #expect(count >= 1 && Self.sums(theirs)["sealite_listener_authentication_failures_total"] == count)
        #expect(Self.sums(mine)["sealite_replicator_session_errors_total http-401"] == 1, "\(Self.sums(mine))")
        await pair.listener.stop()
        try await replicator.waitUntilRefused()
        await #expect(throws: ReplicatorError.self) { _ = try await replicator.run() }
        // The first attempt, and two after pauses, of which each is an error.
        let sums = Self.sums(mine)
        let all = sums.filter { $0.key.hasPrefix("sealite_replicator_session_errors_total ") }.values.reduce(0, +)
        #expect(all == 1 + 3 && sums["sealite_replicator_session_errors_total connection-refused"] ?? 0 >= 1, "\(sums)")
        #expect(sums["sealite_replicator_reconnects_total"] == 2)
        #expect(sums["sealite_replicator_last_success_timestamp_seconds"] == 0)
    }

    @Test("a document that a filter refuses is counted by its status, and one that conflicts too")
    func refused() async throws {
        let theirs = TestMetrics()
        let pair = try await withMetricsFactory(theirs) { try await NetworkPair.start() }
        try pair.client.save("both", #"{"t":"client"}"#)
        try pair.server.save("both", #"{"t":"server"}"#)
        let replicator = try pair.replicator { $0.replicatorType = .push }
        _ = try? await replicator.run()
        #expect(Self.sums(theirs)["sealite_listener_documents_refused_total 409"] ?? 0 >= 1)
        await pair.listener.stop()
    }

    @Test("a transaction that is undone, and one that waits too long for another, are counted")
    func transactions() throws {
        let metrics = TestMetrics()
        let (one, other) = try withMetricsFactory(metrics) {
            let one = try SyncDatabase { $0.busyTimeout = .zero }
            return (one, try Database.open(one.path + "/test.db", key: .rawKey(SyncDatabase.key)))
        }
        struct Refused: Error {}
        let before = Self.sums(metrics)
        #expect(throws: Refused.self) { try one.database.write { _ in throw Refused() } }
        try other.write { _ in
            #expect(throws: DatabaseError.self) { try one.save("late", "{}") }
        }
        let after = Self.sums(metrics)
        #expect(after["sealite_database_rollbacks_total"] == (before["sealite_database_rollbacks_total"] ?? 0) + 1)
        #expect(after["sealite_database_busy_total"] == 1)
        try other.close()
        try one.close()
    }

    @Test("without a back end nothing is measured")
    func without() throws {
        #expect(ListenerMetrics.make() == nil)
        #expect(ReplicatorMetrics.make(ManualTime()) == nil)
    }
}

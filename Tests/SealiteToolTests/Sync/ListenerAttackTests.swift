import Foundation
import Glibc
import SealiteTestSupport
import Testing

/// The scripts of `Tests/Attacks` against `sealite serve`, in a short form; `SEALITE_SOAK=1` runs all of their ways.
@Suite("attacks on a listener", .serialized)
struct ListenerAttackTests {
    private static let isLong = ProcessInfo.processInfo.environment["SEALITE_SOAK"] == "1"
    private let sync: SyncPlace

    init() throws { sync = try SyncPlace() }

    private func attack(_ script: String, _ way: String, _ more: String...) throws -> [String: Any] {
        let path = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Attacks/\(script)").path
        for number in 0..<3 {
            try sync.put("client.db", "mine-\(number)")
            try sync.put("server.db", "theirs-\(number)")
        }
        let command = ["python3", path, way, Tool.path] + more
        let outcome = try sync.place.run(command, environment: ["HOME": sync.place.path])
        return try #require(Outcome.object(outcome.out), "\(outcome)")
    }

    @Test(
        "a flood of requests that nobody reads the answers of: memory and disk stay bounded, and an honest peer syncs",
        arguments: isLong
            ? [
                "checkpoints", "small", "silent", "proposals", "attachments", "unwanted", "leaving", "pings",
                "revisions", "deltas",
                "waiting", "feeds",
            ] : ["proposals", "silent", "unwanted", "revisions", "waiting"])
    func flood(_ way: String) throws {
        let report = try attack("flood_listener.py", way, Self.isLong ? "6" : "2")
        let numbers = report.compactMapValues { $0 as? Double ?? ($0 as? Int).map(Double.init) }
        #expect(numbers["honest"] == 0 && numbers["status"] == 0, "\(report)")
        // It holds some 50 MiB when it has nothing to do, and counts at most 24 more for these three, which take about twice
        // that, or three times where its threads get their turns late.
        #expect((10..<200).contains(numbers["peak"] ?? 0), "\(report)")
        #expect(numbers["count"] ?? .infinity <= 10_064 && numbers["bytes"] ?? .infinity <= 17_000_000, "\(report)")
        // What waited for peers that have left isn't done.
        #expect(numbers["busy"] ?? .infinity < 3, "\(report)")
        #expect(try sync.ids("client.db").isSuperset(of: ["mine-2", "theirs-2"]))
    }

    @Test(
        "hundreds of connections without a credential don't keep an honest peer out",
        arguments: isLong ? ["silent", "scattered", "begun"] : ["silent", "scattered"])
    func hold(_ way: String) throws {
        let report = try attack("hold_connections.py", way)
        #expect(report["held"] as? Int ?? 0 > 64, "\(report)")
        #expect(report["honest"] as? [Int] == [0, 0, 0, 0] && report["status"] as? Int == 0, "\(report)")
    }

    @Test("after SIGTERM and a new start a continuous sync goes on, told by a close code that it may come back")
    func restart() throws {
        let held = try HeldPort()
        defer { withExtendedLifetime(held) {} }
        let server = try sync.serve("--plain", port: held.port)
        let client = try sync.startSync(server.url, "--continuous", into: "synced")
        eventuallyBlocking { sync.reports("synced").contains { $0["activity"] as? String == "idle" } }
        #expect(server.end() == 0)
        // Couchbase Lite's continuous clients come back after 4001, and stop for good after 1001.
        eventuallyBlocking("code 4001") {
            sync.reports("synced").contains { ($0["error"] as? String)?.contains("with code 4001") == true }
        }
        let next = try sync.serve("--plain", port: held.port)
        try sync.put("server.db", "meanwhile")
        try eventuallyBlocking { try sync.ids("client.db") == ["meanwhile"] }
        client.send(SIGTERM)
        _ = client.wait()
        #expect(next.end() == 0)
    }

    @Test("peers behind a proxy that is named count each by themselves, and one address has its share")
    func proxy() throws {
        let server = try sync.serve("--plain", "--proxy", "127.0.0.1", "--connections-per-address", "1")
        let clients = try ["192.0.2.1", "192.0.2.1", "192.0.2.2"].map { try upgrade(server, $0) }
        #expect(clients == ["101", "429", "101"])
        #expect(server.end() == 0)
    }

    /// Asks for an upgrade as a proxy does for a peer, and keeps the connection; the status of the answer.
    private func upgrade(_ server: SyncPlace.Server, _ peer: String) throws -> String {
        let script = """
            import os, socket, sys, time
            s = socket.create_connection(("127.0.0.1", \(server.port)))
            s.sendall(b"GET /server/_blipsync HTTP/1.1\\r\\nHost: x\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\n"
                b"Sec-WebSocket-Version: 13\\r\\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\\r\\n"
                b"Sec-WebSocket-Protocol: BLIP_3+CBMobile_3\\r\\nX-Forwarded-For: \(peer)\\r\\n\\r\\n")
            print(s.recv(100).split()[1].decode(), flush=True)
            if os.fork() == 0:
                os.setsid()
                os.close(1), os.close(2)
                s.settimeout(60)
                try:
                    while s.recv(100): pass
                except OSError: pass
                os._exit(0)
            os._exit(0)
            """
        return try sync.place.run(["python3", "-c", script]).out.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}

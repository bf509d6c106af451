import Foundation
import Glibc
import SealiteTestSupport
import Testing

@testable import SealiteTool

@Suite("the numbers of a server", .serialized)
struct MetricsTests {
    private let sync: SyncPlace

    init() throws { sync = try SyncPlace() }

    @Test("they are those of the syncs, and hold no ids, users, passwords or names")
    func exact() throws {
        for number in 0..<3 { try sync.put("server.db", "marker-down-\(number)", #"{"marker-key": "marker-text"}"#) }
        for number in 0..<2 { try sync.put("client.db", "marker-up-\(number)") }
        let made = try sync.place.sealite("collection", "create", "server.db", "marker.things", "--key-file", "key")
        #expect(made.status == 0, "\(made)")
        let info = try sync.place.sealite("info", "server.db", "--key-file", "key", "--json")
        let service = "sealite-serve:\(try #require(Outcome.object(info.out)?["serveID"] as? String))"
        let password = try sync.server("credential", "set", service, "--user", "marker-user", input: "marker-password")
        #expect(password.status == 0, "\(password)")
        let server = try sync.serve(["--plain", "--metrics-port", "0", "--user", "marker-user"])
        func page() throws -> String { try LocalHTTP.page(server.metricsPort, "/metrics") }
        let refused = try sync.sync(server.url, "--anonymous")
        #expect(refused.status == 77, "\(refused)")
        #expect(try sync.client("credential", "set", server.url, "--user", "marker-user", input: "wrong").status == 0)
        #expect(try sync.sync(server.url).status == 77)
        let stored = try sync.client(
            "credential", "set", server.url, "--user", "marker-user", input: "marker-password")
        #expect(stored.status == 0, "\(stored)")
        let before = try ParsedMetrics(page())
        #expect(before["sealite_listener_accepted_total"] == 0 && before["sealite_database_rollbacks_total"] == 0)
        let synced = try sync.sync(server.url)
        #expect(synced.status == 0 && synced.out == "pushed 2, pulled 3, failed 0\n", "\(synced)")
        // The client ends before the server has taken leave of its socket and of its session.
        try eventuallyBlocking {
            let numbers = try ParsedMetrics(page())
            let left = ["sockets", "connections", "active_connections"]
            return left.allSatisfy { numbers["sealite_listener_\($0)"] == 0 }
        }

        let text = try page()
        let numbers = try ParsedMetrics(text)
        let refusals = before["sealite_listener_refused_total{reason=\"401\"}"]
        #expect(refusals ?? 0 >= 2 && refusals == before["sealite_listener_authentication_failures_total"])
        let expected: [String: Double] = [
            "sealite_listener_accepted_total": 1, "sealite_listener_connections": 0,
            "sealite_listener_active_connections": 0,
            "sealite_listener_documents_total{direction=\"received\"}": 2,
            "sealite_listener_documents_total{direction=\"sent\"}": 3,
            "sealite_listener_deltas_total{direction=\"sent\"}": 0,
            "sealite_listener_blobs_total{direction=\"received\"}": 0,
            "sealite_metrics_dropped_total": 0,
            "sealite_build_info{version=\"0.1.0\"}": 1,
            "sealite_database_file_bytes": Double(sync.place.size("server.db")),
            "sealite_database_wal_bytes": Double(sync.place.size("server.db-wal")),
            "sealite_database_busy_total": 0,
        ]
        for (name, value) in expected { #expect(numbers[name] == value, "\(name): \(numbers[name] ?? -1)") }
        #expect(numbers["sealite_listener_store_seconds_count"] ?? 0 >= 1)
        #expect(numbers["sealite_database_commit_seconds_count"] ?? 0 >= 2)
        for way in ["received", "sent"] {
            #expect(numbers["sealite_listener_network_bytes_total{direction=\"\(way)\"}"] ?? 0 > 500)
        }
        // Every measure that isn't counted by a label is there before its first event.
        let shown = Set(numbers.kinds.keys)
        let others = MetricsPage.meanings.keys.filter {
            !$0.hasPrefix("sealite_replicator") && $0 != "sealite_listener_documents_refused_total"
        }
        #expect(shown == Set(others))
        #expect(numbers.helps.keys.sorted() == numbers.kinds.keys.sorted())
        for secret in ["marker", "127.0.0", "_default", "server", "client", "ana"] {
            #expect(!text.contains(secret) || secret == "server" && !text.contains("server.db"), "\(secret)")
        }
        #expect(server.end() == 0)
    }

    @Test("only programs of this machine are answered, with GET and HEAD of one page; the server outlives the rest")
    func hostile() throws {
        let server = try sync.serve(["--metrics-port", "0"])
        let port = server.metricsPort
        func status(_ request: String) throws -> Int {
            Int(try LocalHTTP.exchange(port, request).split(separator: " ").dropFirst().first ?? "") ?? 0
        }
        let host = "Host: 127.0.0.1:\(port)\r\n\r\n"
        for (request, expected) in [
            ("GET /metrics HTTP/1.1\r\n\(host)", 200), ("GET /metrics?x=1 HTTP/1.0\r\n\r\n", 200),
            ("POST /metrics HTTP/1.1\r\n\(host)", 405), ("DELETE /metrics HTTP/1.1\r\n\(host)", 405),
            ("GET / HTTP/1.1\r\n\(host)", 404), ("GET /server/_blipsync HTTP/1.1\r\n\(host)", 404),
            ("GET /metrics HTTP/1.1\r\nHost: example.com\r\n\r\n", 403),
            ("GET /metrics HTTP/1.1\r\nOrigin: http://example.com\r\n\(host)", 403),
            ("GET /metrics HTTP/1.1\r\nContent-Length: 3\r\n\(host)abc", 413),
            ("GET /metrics HTTP/1.1\r\nX: \(String(repeating: "x", count: 20_000))\r\n\(host)", 400),
            ("\u{16}\u{3}\u{1} no HTTP\r\n\r\n", 400),
        ] {
            #expect(try status(request) == expected, "\(request.prefix(60))")
        }
        let head = try LocalHTTP.exchange(port, "HEAD /metrics HTTP/1.1\r\n\(host)")
        #expect(head.hasPrefix("HTTP/1.1 200 ") && head.hasSuffix("\r\n\r\n"))
        #expect(head.contains("Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"))
        #expect(try ParsedMetrics(LocalHTTP.page(port, "/metrics")).values.count > 30)
        try sync.put("client.db", "mine")
        #expect(try sync.sync(server.url, "--pin", server.pin).status == 0)
        #expect(server.end() == 0)
    }

    @Test("a port that is taken ends the start as --port does, with the port's number")
    func taken() throws {
        let server = try sync.serve(["--plain", "--metrics-port", "0"])
        for option in ["--metrics-port", "--port"] {
            let outcome = try sync.server(
                "serve", "server.db", "-k", "key", "--anyone", "--plain", option, "\(server.metricsPort)", "--json",
                "--log-level", "critical")
            #expect(outcome.status == 69 && outcome.json?["code"] as? String == "connection", "\(outcome)")
            #expect(
                (outcome.json?["message"] as? String)?.contains("\(server.metricsPort) is already") == true,
                "\(outcome)")
        }
        let same = try sync.server("serve", "server.db", "-k", "key", "--anyone", "--port", "9", "--metrics-port", "9")
        #expect(same.status == 64 && same.err.contains("are the same port"), "\(same)")
        #expect(server.end() == 0)
    }
}

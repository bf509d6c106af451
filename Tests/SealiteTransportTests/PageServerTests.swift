import SealiteEndpoints
import SealiteTestSupport
import SealiteTransportTestSupport
import Synchronization
import Testing

@testable import SealiteTransport

@Suite("a server of one page", .takesSocketTurn)
struct PageServerTests {
    private static let request = "GET /page HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"

    private func start(
        _ change: (inout PageServer.Limits) -> Void = { _ in },
        page: @escaping @Sendable () async -> String = { "the page" }
    ) async throws -> PageServer {
        var limits = PageServer.Limits()
        change(&limits)
        return try await PageServer.start(port: 0, path: "/page", limits: limits) {
            PageServer.Page(contentType: "text/plain", body: Array(await page().utf8))
        }
    }

    @Test("one request is answered for each connection, whatever follows it")
    func once() async throws {
        let server = try await start()
        let client = try await RawClient.connect(port: server.port)
        try await client.send(Self.request + Self.request)
        let answer = await client.untilClosed() ?? ""
        #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n") && answer.hasSuffix("\r\n\r\nthe page"))
        #expect(answer.contains("Connection: close\r\n") && answer.contains("Content-Length: 8\r\n"))
        await server.stop()
    }

    @Test("a client that is silent, one that never ends its request, and one that waits for a page are closed in time")
    func slow() async throws {
        let never = Mutex<[CheckedContinuation<String, Never>]>([])
        let server = try await start({ $0.time = .milliseconds(100) }) {
            await withCheckedContinuation { continuation in never.withLock { $0.append(continuation) } }
        }
        for beginning in ["", "GET /pa"] {
            let client = try await RawClient.connect(port: server.port)
            // On a loaded machine the server's time may be over before.
            if !beginning.isEmpty { try? await client.send(beginning) }
            #expect(await client.untilClosed() == "")
        }
        try await eventually("a request in time") {
            let client = try await RawClient.connect(port: server.port)
            try? await client.send(Self.request)
            #expect(await client.untilClosed() == "")
            return never.withLock { !$0.isEmpty }
        }
        for continuation in never.withLock({ $0 }) { continuation.resume(returning: "late") }
        await server.stop()
    }

    @Test("more connections than the limit are closed at once, and clients are answered again when others have left")
    func crowded() async throws {
        let server = try await start { $0.connections = 3 }
        var held: [RawClient] = []
        for _ in 0..<3 {
            let client = try await RawClient.connect(port: server.port)
            try await client.send("GET ")
            held.append(client)
        }
        // Connections are accepted in their order.
        let late = try await RawClient.connect(port: server.port)
        #expect(await late.untilClosed() == "")
        for client in held { await client.close() }
        await eventually("an answer") {
            guard let client = try? await RawClient.connect(port: server.port) else { return false }
            try? await client.send(Self.request)
            return await client.untilClosed()?.contains("the page") == true
        }
        await server.stop()
    }

    @Test("a port that is taken is an error that names it, and a stopped server has left it")
    func taken() async throws {
        // Holds the port when the server has left it.
        let held = try HeldPort()
        @Sendable func start() async throws -> PageServer {
            try await PageServer.start(port: held.port, path: "/page") { PageServer.Page(contentType: "", body: []) }
        }
        let server = try await start()
        let error = await #expect(throws: TransportError.self) { _ = try await start() }
        #expect(error?.code == .addressUnavailable && error?.reason.contains("\(server.port)") == true)
        await server.stop()
        // A process that another test is just starting has the socket until its program runs.
        await eventually("the port") { (try? await start()) != nil }
        withExtendedLifetime(held) {}
    }
}

import NIOCore
import SealiteCrypto
import SealiteEndpoints
import SealiteTransportTestSupport
import Testing

@testable import SealiteTransport

@Suite("HTTP calls", .takesSocketTurn)
struct HTTPCallTests {
    private func call(_ server: RawServer) throws -> HTTPCall {
        var call = HTTPCall(.post, "_session", of: try EndpointURL("ws://127.0.0.1:\(server.port)/db"))
        call.timeLimit = .seconds(60)
        return call
    }

    /// The result of a call to a server that sends a text and closes the connection where that is said.
    private func result(of text: String, thenCloses: Bool = true) async throws -> Result<HTTPAnswer, TransportError> {
        let server = try await RawServer.start { _, received, channel in
            guard String(decoding: received, as: UTF8.self).hasSuffix("\r\n\r\n") else { return }
            channel.writeAndFlush(ByteBuffer(string: text)).whenComplete { _ in
                if thenCloses { channel.close(promise: nil) }
            }
        }
        let call = try call(server)
        let result: Result<HTTPAnswer, TransportError>
        do throws(TransportError) {
            result = .success(try await call.answer())
        } catch {
            result = .failure(error)
        }
        try await server.stop()
        return result
    }

    @Test("the request has the path, the cookies and the body, and nothing of an upgrade")
    func request() async throws {
        let server = try await RawServer.start { _, received, channel in
            guard String(decoding: received, as: UTF8.self).hasSuffix("{\"a\":1}") else { return }
            channel.put("HTTP/1.1 204 No Content\r\nSet-Cookie: a=b; Path=/\r\nX-Note: c\r\n\r\n")
        }
        var call = try call(server)
        call.body = SharedSecret(SecretBytes(copying: Array("{\"a\":1}".utf8)))
        call.cookies = ["x=1", "y=2"].map { SharedSecret(SecretBytes(copying: Array($0.utf8))) }
        let answer = try await call.answer()
        #expect(answer.status == 204 && answer["x-note"] == "c")
        let isKept = answer.cookies.first?.duplicate().isEqual(to: SecretBytes(copying: Array("a=b; Path=/".utf8)))
        #expect(isKept == true && answer.cookies.count == 1)
        let lines = server.requests[0].split(separator: "\r\n").sorted()
        let expected = [
            "POST /db/_session HTTP/1.1", "Host: 127.0.0.1:\(server.port)", "User-Agent: Sealite", "Connection: close",
            "Accept: application/json", "Content-Type: application/json", "Content-Length: 7", "Cookie: x=1; y=2",
            "{\"a\":1}",
        ]
        #expect(lines.map(String.init) == expected.sorted())
        try await server.stop()
    }

    @Test("a successful answer is read to its end, which may be the connection's", arguments: [true, false])
    func wholeAnswer(hasLength: Bool) async throws {
        let body = String(repeating: "x", count: HTTPCall.bodyByteLimit)
        let length = hasLength ? "Content-Length: \(body.utf8.count)\r\n" : ""
        let result = try await result(of: "HTTP/1.1 200 OK\r\n\(length)\r\n\(body)", thenCloses: !hasLength)
        #expect(try result.get().status == 200)
    }

    @Test("a successful answer that is one byte too long is refused, and so is one that ends before its end")
    func refusedAnswers() async throws {
        let body = String(repeating: "x", count: HTTPCall.bodyByteLimit + 1)
        let long = try await result(of: "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        #expect(throws: TransportError(.protocolViolation, "")) { try long.get() }
        let endless = try await result(of: "HTTP/1.1 200 OK\r\n\r\n\(body)", thenCloses: false)
        #expect(throws: TransportError(.protocolViolation, "")) { try endless.get() }
        let cut = try await result(of: "HTTP/1.1 200 OK\r\nContent-Length: 9\r\nSet-Cookie: a=b\r\n\r\n{")
        #expect(throws: TransportError(.lost, "")) { try cut.get() }
    }

    @Test("of an answer without success the beginning is enough", arguments: [307, 401, 500])
    func beginning(status: Int) async throws {
        let cut = try await result(of: "HTTP/1.1 \(status) No\r\nContent-Length: 9\r\n\r\n{")
        #expect(try cut.get().status == status)
        let body = String(repeating: "x", count: HTTPCall.bodyByteLimit * 2)
        let long = try await result(of: "HTTP/1.1 \(status) No\r\n\r\n\(body)", thenCloses: false)
        #expect(try long.get().status == status)
    }

    @Test("an announcement is passed over, and an upgrade that wasn't asked for is refused")
    func otherHeads() async throws {
        let announced = try await result(
            of: "HTTP/1.1 103 Early Hints\r\nSet-Cookie: a=b\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n")
        #expect(try announced.get().status == 204)
        #expect(try announced.get().cookies.isEmpty)
        let upgraded = try await result(
            of: "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n")
        #expect(throws: TransportError(.protocolViolation, "")) { try upgraded.get() }
    }

    @Test(
        "any time limit is taken; none is over at once", arguments: [Duration.seconds(Int64.max), .zero, .seconds(-1)])
    func timeLimits(limit: Duration) async throws {
        let server = try await RawServer.answering { _, _ in "HTTP/1.1 204 No Content\r\n\r\n" }
        var call = try call(server)
        call.timeLimit = limit
        if limit > .zero {
            #expect(try await call.answer().status == 204)
        } else {
            await #expect(throws: TransportError(.timedOut, "")) { try await call.answer() }
        }
        try await server.stop()
    }

    @Test("a body or a cookie isn't sent unencrypted to another machine")
    func unencrypted() async throws {
        var call = HTTPCall(.delete, "_session", of: try EndpointURL("ws://192.0.2.1/db"))
        call.timeLimit = .milliseconds(1)
        await #expect(throws: TransportError.self) { try await call.answer() }
        call.cookies = [SharedSecret(SecretBytes(copying: Array("a=b".utf8)))]
        call.timeLimit = .seconds(60)
        await #expect(throws: TransportError(.unencryptedCredential, "")) { try await call.answer() }
    }
}

internal import Glibc
internal import NIOCore
internal import NIOHTTP1
internal import SealiteCrypto
internal import SealiteEndpoints

/// An HTTP/1.1 request of a client. Its secret headers are kept apart from its head until `ClientRequest.Encoder`
/// writes both to the connection.
struct ClientRequest: Sendable {
    /// The head, without secrets.
    let head: HTTPRequestHead
    /// The names and values of the secret headers, such as `Authorization` and `Cookie`. The values are valid header
    /// values.
    let secrets: [(name: String, value: SharedSecret)]
    /// The body; nil for none. The head contains its length in `Content-Length`.
    let body: SharedSecret?

    /// The names, in lowercase, of headers that callers can't set, because they belong to the handshake or determine
    /// how the request is read.
    private static let reserved: Set<String> = [
        "host", "connection", "upgrade", "content-length", "transfer-encoding", "te", "trailer", "expect",
    ]

    /// Creates the request that upgrades a connection to WebSocket (RFC 6455 §4.1).
    ///
    /// - Throws: `invalidHeader`; the error doesn't quote the header's value.
    init(upgrading request: UpgradeRequest, to target: DialTarget) throws(TransportError) {
        var fields = HTTPHeaders()
        fields.add(name: "Host", value: target.authority)
        fields.add(name: "Connection", value: "Upgrade")
        fields.add(name: "Upgrade", value: "websocket")
        fields.add(name: "Sec-WebSocket-Version", value: "13")
        fields.add(name: "Sec-WebSocket-Key", value: UpgradeKey.random())
        // No space after the commas: Couchbase Lite's listener doesn't trim.
        fields.add(name: "Sec-WebSocket-Protocol", value: request.subprotocols.joined(separator: ","))
        fields.add(name: "User-Agent", value: try Self.checked(request.userAgent, of: "User-Agent"))
        var cookies = request.credentials.cookies
        var authorization = request.credentials.authorization
        for secret in cookies { try Self.check(secret, of: "Cookie") }
        if let authorization { try Self.check(authorization, of: "Authorization") }
        for field in request.headers {
            let name = field.name.lowercased()
            let value = try Self.checked(field.value, of: field.name)
            guard !Self.reserved.contains(name), !name.hasPrefix("sec-websocket-"), Self.isToken(field.name) else {
                throw TransportError(
                    .invalidHeader,
                    "the header \"\(printable(field.name))\" can't be added to the handshake's request: "
                        + "its name isn't valid in HTTP, or is reserved for the handshake")
            }
            switch name {
            case "authorization": authorization = Self.secret(value)
            case "cookie": cookies.append(Self.secret(value))
            case "user-agent": fields.replaceOrAdd(name: "User-Agent", value: value)
            default: fields.add(name: field.name, value: value)
            }
        }
        head = HTTPRequestHead(version: .http1_1, method: .GET, uri: target.path, headers: fields)
        secrets = Self.secrets(authorization, cookies)
        body = nil
    }

    /// Creates the request of an HTTP call that isn't an upgrade.
    ///
    /// - Throws: `invalidHeader`; the error doesn't quote the header's value.
    init(_ call: HTTPCall, with request: UpgradeRequest, to target: DialTarget) throws(TransportError) {
        var fields = HTTPHeaders([
            ("Host", target.authority), ("User-Agent", try Self.checked(request.userAgent, of: "User-Agent")),
            ("Connection", "close"), ("Accept", "application/json"),
        ])
        if let body = call.body {
            fields.add(name: "Content-Type", value: "application/json")
            fields.add(name: "Content-Length", value: String(body.byteCount))
        }
        for secret in call.cookies { try Self.check(secret, of: "Cookie") }
        head = HTTPRequestHead(
            version: .http1_1, method: HTTPMethod(rawValue: call.method.rawValue), uri: target.path, headers: fields)
        secrets = Self.secrets(nil, call.cookies)
        body = call.body
    }

    /// Creates the `CONNECT` request for a tunnel through a proxy.
    ///
    /// - Throws: `invalidHeader` for an authorization or a user agent with control characters.
    init(
        through proxy: HTTPProxy, with request: UpgradeRequest, to target: DialTarget
    ) throws(TransportError) {
        let agent = try Self.checked(request.userAgent, of: "User-Agent")
        let fields = HTTPHeaders([("Host", target.place), ("User-Agent", agent)])
        head = HTTPRequestHead(version: .http1_1, method: .CONNECT, uri: target.place, headers: fields)
        if let authorization = proxy.authorization { try Self.check(authorization, of: "Proxy-Authorization") }
        secrets = proxy.authorization.map { [("Proxy-Authorization", $0)] } ?? []
        body = nil
    }

    /// Checks a response with the status 101 (Switching Protocols).
    ///
    /// - Returns: the negotiated subprotocol.
    /// - Throws: `protocolViolation`, `noCommonProtocol`.
    func check(
        _ answer: HTTPResponseHead, offered: [String], place: String
    ) throws(TransportError) -> String {
        let key = head.headers["Sec-WebSocket-Key"].first ?? ""
        guard answer.headers["Upgrade"].first?.lowercased() == "websocket",
            answer.headers[canonicalForm: "Connection"].contains(where: { $0.lowercased() == "upgrade" }),
            answer.headers["Sec-WebSocket-Accept"] == [UpgradeKey.acceptance(of: key)]
        else {
            throw TransportError(
                .protocolViolation,
                "\(place) answered the WebSocket upgrade with HTTP 101, but its header Upgrade, Connection or "
                    + "Sec-WebSocket-Accept is missing or wrong")
        }
        guard answer.headers["Sec-WebSocket-Extensions"].isEmpty else {
            throw TransportError(.protocolViolation, "\(place) chose a WebSocket extension that was not offered")
        }
        guard let chosen = answer.headers["Sec-WebSocket-Protocol"].first, offered.contains(chosen) else {
            throw TransportError(
                .noCommonProtocol,
                "\(place) chose none of the offered WebSocket subprotocols, \(offered.joined(separator: ", "))")
        }
        return chosen
    }

    private static func secrets(
        _ authorization: SharedSecret?, _ cookies: [SharedSecret]
    ) -> [(name: String, value: SharedSecret)] {
        let cookie = cookies.first.map { first in cookies.dropFirst().reduce(first) { joined($0, $1) } }
        return [("Authorization", authorization), ("Cookie", cookie)].compactMap { name, value in
            value.map { (name, $0) }
        }
    }

    private static func check(_ secret: SharedSecret, of name: String) throws(TransportError) {
        guard secret.isHeaderValue else {
            throw TransportError(
                .invalidHeader,
                "the credential for the header \(name) can't be sent: it holds control characters, or isn't UTF-8")
        }
    }

    private static func secret(_ text: String) -> SharedSecret { SharedSecret(SecretBytes(copying: Array(text.utf8))) }

    private static func joined(_ first: SharedSecret, _ second: SharedSecret) -> SharedSecret {
        let between = Array("; ".utf8)
        let byteCount = first.byteCount + between.count + second.byteCount
        return SharedSecret(
            unsafe SecretBytes(byteCount: byteCount) { output in
                unsafe first.withUnsafeBytes { unsafe output.copyMemory(from: $0) }
                unsafe output[first.byteCount...].copyBytes(from: between)
                unsafe second.withUnsafeBytes {
                    unsafe UnsafeMutableRawBufferPointer(rebasing: output[(first.byteCount + between.count)...])
                        .copyMemory(from: $0)
                }
            })
    }

    private static func checked(_ value: String, of name: String) throws(TransportError) -> String {
        guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
            throw TransportError(
                .invalidHeader, "the header \"\(printable(name))\" can't be sent: its value holds control characters")
        }
        return value
    }

    private static func isToken(_ name: String) -> Bool {
        !name.isEmpty
            && name.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
                    || "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
    }
}

// .exposing: in this file the secrets of a request leave `SecretBytes`, for one buffer of the right size, which is
// wiped as soon as the socket or TLS has taken it. No string and no second buffer contains the secrets.

extension ClientRequest {
    /// Writes the only request of a connection, and then releases the request's secrets.
    final class Encoder: ChannelOutboundHandler, RemovableChannelHandler {
        typealias OutboundIn = HTTPClientRequestPart
        typealias OutboundOut = ByteBuffer

        private var request: ClientRequest?

        init(_ request: ClientRequest) { self.request = request }

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            guard case .head = Self.unwrapOutboundIn(data), let request = request.take() else {
                // The head and the body were already written together, when the head was passed.
                promise?.succeed(())
                return
            }
            let bytes = request.encoded(context.channel.allocator)
            let written = context.eventLoop.makePromise(of: Void.self)
            written.futureResult.whenComplete { _ in bytes.wipe() }
            if let promise { written.futureResult.cascade(to: promise) }
            context.write(Self.wrapOutboundOut(bytes), promise: written)
        }
    }

    /// Returns the bytes of the whole request: its head with the secret headers, and its body.
    private func encoded(_ allocator: ByteBufferAllocator) -> ByteBuffer {
        var start = "\(head.method.rawValue) \(head.uri) HTTP/1.1\r\n"
        for (name, value) in head.headers { start += "\(name): \(value)\r\n" }
        var byteCount = start.utf8.count + 2 + (body?.byteCount ?? 0)
        for (name, value) in secrets { byteCount += name.utf8.count + value.byteCount + 4 }
        // Large enough from the start: a buffer that grows leaves copies of its content in memory.
        var buffer = allocator.buffer(capacity: byteCount)
        buffer.writeString(start)
        for (name, value) in secrets {
            buffer.writeString(name)
            buffer.writeStaticString(": ")
            buffer.write(value)
            buffer.writeStaticString("\r\n")
        }
        buffer.writeStaticString("\r\n")
        if let body { buffer.write(body) }
        return buffer
    }
}

extension ByteBuffer {
    fileprivate mutating func write(_ secret: SharedSecret) {
        _ = unsafe secret.withUnsafeBytes { unsafe writeBytes($0) }
    }

    /// Overwrites the readable bytes in the buffer's memory, and thereby in all buffers that share it.
    func wipe() {
        unsafe withUnsafeReadableBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            unsafe explicit_bzero(UnsafeMutableRawPointer(mutating: base), bytes.count)
        }
    }
}

extension SharedSecret {
    /// A Boolean value that indicates whether the secret can be the value of an HTTP header, which is UTF-8 without
    /// control characters.
    var isHeaderValue: Bool {
        unsafe withUnsafeBytes { bytes in
            let bytes = unsafe bytes.bindMemory(to: UInt8.self)
            guard unsafe bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return false }
            return unsafe (try? UTF8Span(validating: bytes.span)) != nil
        }
    }
}

internal import NIOHTTP1
internal import SealiteCredentials
internal import SealiteCrypto

/// The headers of an upgrade (RFC 6455 §4.1), and the check of the answer.
struct UpgradeHeaders {
    /// The value of `Sec-WebSocket-Key`.
    let key: String
    private let fields: HTTPHeaders
    /// The values of `Authorization` and `Cookie`, which every request of this client has.
    let secrets: [(name: String, value: SharedSecret)]

    /// The headers of the handshake itself, which callers can't set.
    private static let reserved: Set<String> = [
        "host", "connection", "upgrade", "content-length", "transfer-encoding", "te", "trailer", "expect",
    ]

    /// Makes the headers.
    ///
    /// - Throws: `invalidHeader`; the error doesn't quote the header's value.
    init(_ request: UpgradeRequest, target: DialTarget) throws(TransportError) {
        key = Self.randomKey()
        var fields = HTTPHeaders()
        fields.add(name: "Host", value: target.authority)
        fields.add(name: "Connection", value: "Upgrade")
        fields.add(name: "Upgrade", value: "websocket")
        fields.add(name: "Sec-WebSocket-Version", value: "13")
        fields.add(name: "Sec-WebSocket-Key", value: key)
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
                    .invalidHeader, "the header \(printable(field.name)) can't be added to a handshake")
            }
            switch name {
            case "authorization": authorization = Self.secret(value)
            case "cookie": cookies.append(Self.secret(value))
            case "user-agent": fields.replaceOrAdd(name: "User-Agent", value: value)
            default: fields.add(name: field.name, value: value)
            }
        }
        self.fields = fields
        let cookie = cookies.first.map { first in cookies.dropFirst().reduce(first) { Self.joined($0, $1) } }
        secrets = [("Authorization", authorization), ("Cookie", cookie)].compactMap { name, value in
            value.map { (name, $0) }
        }
    }

    /// Returns the head of the upgrade.
    func head(path: String) -> HTTPRequestHead {
        HTTPRequestHead(version: .http1_1, method: .GET, uri: path, headers: fields)
    }

    /// The headers that every request of this client has and that hold no secret.
    var general: HTTPHeaders {
        let names = ["Host", "User-Agent"]
        return HTTPHeaders(names.flatMap { name in fields[name].map { (name, $0) } })
    }

    /// Checks a 101 answer.
    ///
    /// - Returns: the negotiated subprotocol.
    /// - Throws: `protocolViolation`, `noCommonProtocol`.
    func check(
        _ answer: HTTPResponseHead, offered: [String], place: String
    ) throws(TransportError) -> String {
        guard answer.headers["Upgrade"].first?.lowercased() == "websocket",
            answer.headers[canonicalForm: "Connection"].contains(where: { $0.lowercased() == "upgrade" }),
            answer.headers["Sec-WebSocket-Accept"] == [Self.acceptance(of: key)]
        else { throw TransportError(.protocolViolation, "\(place) answered the upgrade wrongly") }
        guard answer.headers["Sec-WebSocket-Extensions"].isEmpty else {
            throw TransportError(.protocolViolation, "\(place) chose a WebSocket extension that was not offered")
        }
        guard let chosen = answer.headers["Sec-WebSocket-Protocol"].first, offered.contains(chosen) else {
            throw TransportError(.noCommonProtocol, "\(place) chose none of the offered replication protocols")
        }
        return chosen
    }

    /// Returns the value of `Sec-WebSocket-Accept` for a key (RFC 6455 §4.2.2).
    static func acceptance(of key: String) -> String {
        let text = key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        // The standard's SHA-1 shows that the server speaks WebSocket; it authenticates nothing. Without a digest no answer matches.
        guard let digest = try? SHA1.digest(of: Array(text.utf8)) else { return "" }
        return Base64.encode(digest)
    }

    private static func randomKey() -> String {
        var generator = SystemRandomNumberGenerator()
        return Base64.encode((0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }

    private static func check(_ secret: SharedSecret, of name: String) throws(TransportError) {
        guard secret.isHeaderValue else {
            throw TransportError(.invalidHeader, "the credential can't be sent: it holds control characters (\(name))")
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
            throw TransportError(.invalidHeader, "the header \(printable(name)) holds control characters")
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

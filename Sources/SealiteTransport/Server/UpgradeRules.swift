internal import NIOHTTP1
internal import SealiteCrypto
internal import SealiteEndpoints
internal import SealiteJSON

/// The rules by which a server decides about requests: authentication, database, protocol.
struct UpgradeRules: Sendable {
    /// The possible decisions about a request.
    enum Decision: Sendable {
        /// Upgrades the connection to WebSocket.
        case accept(Acceptance)
        /// Responds with the status 200, this JSON body and these additional headers, and closes the connection.
        case answer(String, HTTPHeaders)
        /// Responds with this status, this reason in a JSON body and these additional headers, and closes the
        /// connection.
        case refuse(HTTPResponseStatus, String, HTTPHeaders = [:])
    }

    /// The database, the subprotocol and the user of an accepted request.
    struct Acceptance: Sendable {
        let key: String
        let subprotocol: String
        let database: String
        /// The user whose password or session the request had; nil if the server doesn't require passwords.
        let user: String?
        /// Returns whether the user's password is still right, while the connection is open; nil if the server doesn't
        /// require passwords.
        let isStillRight: (@Sendable () async throws -> Bool)?
        /// The headers of the response in addition to the headers of every upgrade.
        let headers: HTTPHeaders
    }

    let configuration: WebSocketServerConfiguration
    /// The sessions of the server; nil if it issues none.
    var sessions: SessionTable?
    let gate: PasswordRateLimiter

    // Only browsers send Origin, for any web page: a page must not reach a database on its reader's machine.
    static let webPage = Decision.refuse(
        .forbidden, "Requests with the header Origin, which browsers send for web pages, are refused")
    static let unchecked = Decision.refuse(
        .serviceUnavailable, "Passwords can't be checked now. Try again later.", ["Retry-After": "10"])

    static let badHost = Decision.refuse(.badRequest, "A request has exactly one header Host, with one host")
    static let unknownCoding = Decision.refuse(.notImplemented, "The only supported transfer coding is chunked")

    static func tooMany(_ seconds: Int) -> Decision {
        .refuse(
            .tooManyRequests, "Too many wrong passwords or simultaneous logins. Try again later.",
            ["Retry-After": "\(seconds)"])
    }

    /// Returns the refusal of a request that two HTTP implementations may understand differently, such as a reverse proxy
    /// and this server (RFC 9112 §3.2, §6.1): one without exactly one host, or with a transfer coding other than
    /// `chunked`. Nil for other requests. It depends on nothing that the peer may not know.
    static func refusal(ofFramingIn head: HTTPRequestHead) -> Decision? {
        let hosts = head.headers["Host"]
        guard hosts.count < 2, hosts.allSatisfy(isHost), hosts.count == 1 || head.version == .http1_0 else {
            return badHost
        }
        let codings = head.headers["Transfer-Encoding"]
        return codings.isEmpty || codings.map({ $0.lowercased() }) == ["chunked"] ? nil : unknownCoding
    }

    /// Returns whether the value of `Host` may be one host with an optional port. An empty one is valid.
    private static func isHost(_ value: String) -> Bool {
        value.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"/?#@,\\\"<>^`{|}".utf8.contains($0) }
    }

    /// Decides about a request. Authentication precedes all other checks, so that an unauthenticated peer learns
    /// nothing else.
    ///
    /// - Parameters:
    ///   - head: the request.
    ///   - body: its body.
    ///   - address: the peer's address, without port.
    /// - Returns: the decision.
    func decide(
        _ head: HTTPRequestHead, body: [UInt8] = [], from address: String
    ) async -> Decision {
        if let decision = await decideSession(head, body: body, from: address) { return decision }
        var guest: Guest?
        if let check = configuration.passwordCheck {
            switch await authenticate(head, from: address, check) {
            case .success(let known): guest = known
            case .failure(let refusal): return refusal.decision
            }
        }
        guard !head.headers.contains(name: "Origin") else { return Self.webPage }
        guard head.method == .GET else { return .refuse(.methodNotAllowed, "Only GET is allowed", ["Allow": "GET"]) }
        guard let database = Self.database(in: head.uri) else { return .refuse(.notFound, "Not found") }
        guard await configuration.hasDatabase(database) else { return .refuse(.notFound, "No such database") }
        guard let key = Self.key(in: head) else {
            return .refuse(
                .upgradeRequired, "Only WebSocket upgrades that are valid by RFC 6455 are served",
                ["Upgrade": "websocket", "Sec-WebSocket-Version": "13"])
        }
        let offered = head.headers[canonicalForm: "Sec-WebSocket-Protocol"].map(String.init)
        guard let chosen = offered.first(where: configuration.subprotocols.contains) else {
            let served = configuration.subprotocols.joined(separator: ", ")
            return .refuse(.forbidden, "The request offers none of the supported WebSocket subprotocols: \(served)")
        }
        return .accept(
            Acceptance(
                key: key, subprotocol: chosen, database: database, user: guest?.user,
                isStillRight: guest?.isStillRight, headers: guest?.cookie.map { ["Set-Cookie": $0] } ?? [:]))
    }

    private struct Refusal: Error { let decision: Decision }

    /// An authenticated user, and the cookie that renews the session.
    private struct Guest {
        let user: String
        let cookie: String?
        let isStillRight: @Sendable () async throws -> Bool
    }

    /// Returns the user whose password or session a request has, or the refusal of the request. If it has a password,
    /// its session is ignored.
    private func authenticate(
        _ head: HTTPRequestHead, from address: String,
        _ check: @escaping @Sendable (String, SharedSecret) async throws -> Bool
    ) async -> Result<Guest, Refusal> {
        let challenge: HTTPHeaders = ["WWW-Authenticate": "Basic charset=\"UTF-8\""]
        let refusal = Refusal(decision: .refuse(.unauthorized, "Login required", challenge))
        let user: String
        let password: SharedSecret
        var renewal: (() -> String?)?
        let headers = head.headers["Authorization"]
        if headers.isEmpty, let sessions, let database = Self.database(in: head.uri),
            let session = sessions.find(head.headers["Cookie"])
        {
            (user, password) = (session.user, session.password)
            renewal = { sessions.renew(session, database: database) }
        } else if headers.count == 1, let given = BasicAuthorization.read(headers[0]) {
            (user, password) = (given.user, given.password)
        } else {
            return .failure(refusal)
        }
        do {
            switch try await gate.run(user: user, from: address, { try await check(user, password) }) {
            case .right:
                return .success(Guest(user: user, cookie: renewal?()) { try await check(user, password) })
            case .wrong: return .failure(refusal)
            case .tooMany(let seconds): return .failure(Refusal(decision: Self.tooMany(seconds)))
            }
        } catch {
            return .failure(Refusal(decision: Self.unchecked))
        }
    }

    /// Returns the value of `Sec-WebSocket-Key` of a valid upgrade (RFC 6455 §4.2.1); nil for other requests.
    private static func key(in head: HTTPRequestHead) -> String? {
        guard head.version == .http1_1,
            head.headers[canonicalForm: "Connection"].contains(where: { $0.lowercased() == "upgrade" }),
            head.headers[canonicalForm: "Upgrade"].contains(where: { $0.lowercased() == "websocket" }),
            head.headers["Sec-WebSocket-Version"] == ["13"], head.headers["Sec-WebSocket-Key"].count == 1,
            let key = head.headers["Sec-WebSocket-Key"].first, (10...64).contains(key.utf8.count)
        else { return nil }
        return key
    }

    /// Returns the database's name, percent-decoded, from a request target `/NAME/_blipsync` (or with `end` as another
    /// last component); nil for other paths. Accepts both forms of a request target: a path, and an absolute URL.
    static func database(in target: String, endingIn end: String = "_blipsync") -> String? {
        var path = target[...]
        if let scheme = path.firstRange(of: "://"), !path.hasPrefix("/") {
            path = path[scheme.upperBound...].drop { $0 != "/" }
        }
        path = path.prefix { $0 != "?" && $0 != "#" }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].isEmpty, parts[2] == end, !parts[1].hasPrefix("_") else { return nil }
        guard let name = percentDecoded(parts[1]), !name.isEmpty, !name.hasPrefix("_") else { return nil }
        return name
    }

    private static func percentDecoded(_ text: Substring) -> String? {
        guard let bytes = PercentCoding.decode(text), bytes.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "/") }) else {
            return nil
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

// Logging in and out by HTTP, as Sync Gateway's clients do it: `POST` and `DELETE` of `/{database}/_session`.
extension UpgradeRules {
    /// The largest body of a login in bytes.
    static let bodyLimit = 8 << 10

    /// Returns whether a request may have a body, that is, whether it is a login (`POST` of `/{database}/_session`) at
    /// a server that issues sessions.
    func takesBody(_ head: HTTPRequestHead) -> Bool {
        sessions != nil && head.method == .POST && Self.database(in: head.uri, endingIn: "_session") != nil
    }

    /// Returns the response to a request for `/{database}/_session`, which starts or ends a login session; nil for
    /// other requests, and if the server issues no sessions.
    func decideSession(_ head: HTTPRequestHead, body: [UInt8], from address: String) async -> Decision? {
        guard let sessions, let check = configuration.passwordCheck,
            let database = Self.database(in: head.uri, endingIn: "_session")
        else { return nil }
        guard !head.headers.contains(name: "Origin") else { return Self.webPage }
        switch head.method {
        case .POST:
            guard let login = Self.login(in: body, headers: head.headers["Authorization"]) else {
                return .refuse(
                    .badRequest,
                    "A login is JSON with a name and a password as strings, or Basic authentication")
            }
            do {
                switch try await gate.run(
                    user: login.name, from: address, { try await check(login.name, login.password) })
                {
                case .right: break
                case .wrong: return .refuse(.unauthorized, "Invalid login")
                case .tooMany(let seconds): return Self.tooMany(seconds)
                }
            } catch {
                return Self.unchecked
            }
            guard await configuration.hasDatabase(database) else { return .refuse(.notFound, "No such database") }
            guard let cookie = sessions.begin(user: login.name, password: login.password, database: database) else {
                return .refuse(
                    .serviceUnavailable, "No login session can be created now. Try again later.", ["Retry-After": "10"])
            }
            return .answer("{\"ok\":true}", ["Set-Cookie": cookie])
        case .DELETE:
            guard sessions.end(head.headers["Cookie"]) else {
                return .refuse(
                    .notFound, "The request has no cookie of a login session that is known; it may have ended")
            }
            return .answer("{}", ["Set-Cookie": "\(SessionTable.cookieName)=; Max-Age=0"])
        default: return .refuse(.methodNotAllowed, "Only POST and DELETE are allowed", ["Allow": "POST, DELETE"])
        }
    }

    /// Parses name and password of a login: those in the body, or those of Basic authentication if the body is empty or
    /// a JSON object without them, as Sync Gateway does. Nil if the request isn't a valid login.
    private static func login(
        in body: [UInt8], headers: [String]
    ) -> (name: String, password: SharedSecret)? {
        switch login(in: body) {
        case .complete(let name, let password): return (name, password)
        case .absent:
            return headers.count == 1 ? BasicAuthorization.read(headers[0]).map { ($0.user, $0.password) } : nil
        case .malformed: return nil
        }
    }

    /// The content of the body of a login request.
    private enum LoginBody {
        case complete(name: String, password: SharedSecret)
        /// The body is empty, or a JSON object with neither a name nor a password.
        case absent
        case malformed
    }

    private static func login(in body: [UInt8]) -> LoginBody {
        guard !body.isEmpty else { return .absent }
        var (name, password): (String?, SharedSecret?)
        var reader = JSONMemberReader<JSONError>(body)
        do throws(JSONError) {
            try reader.object { (key, reader) throws(JSONError) in
                switch (key, try reader.peek()) {
                case ("name", .string): name = try reader.string()
                case ("password", .string):
                    var bytes = Array(try reader.string().utf8)
                    password = SharedSecret(SecretBytes(copying: bytes))
                    for index in bytes.indices { bytes[index] = 0 }
                default: _ = try reader.rawValue()
                }
            }
            try reader.end()
        } catch {
            return .malformed
        }
        if name == nil, password == nil { return .absent }
        guard let name, !name.isEmpty, let password else { return .malformed }
        return .complete(name: name, password: password)
    }
}

/// The parser of Basic authentication's header (RFC 7617), for servers.
enum BasicAuthorization {
    private static let prefix = Array("basic ".utf8)

    /// Returns user and password from the value of an `Authorization` header; nil if it isn't valid Basic
    /// authentication, or has no user name. `Basic` may be in any case of letters.
    static func read(_ value: String) -> (user: String, password: SharedSecret)? {
        let text = value.utf8
        guard text.count > prefix.count, text.count <= 8_192,
            zip(text, prefix).allSatisfy({ $0 | 0x20 == $1 | 0x20 })
        else { return nil }
        let encoded = unsafe SecretBytes(byteCount: text.count - prefix.count) {
            unsafe $0.copyBytes(from: text.dropFirst(prefix.count))
        }
        guard let plain = Base64.decode(encoded) else { return nil }
        return unsafe plain.withUnsafeBytes { bytes in
            guard let colon = unsafe bytes.firstIndex(of: UInt8(ascii: ":")),
                let user = unsafe String(validating: bytes[..<colon], as: UTF8.self), !user.isEmpty
            else { return nil }
            let password = unsafe SecretBytes(copying: UnsafeRawBufferPointer(rebasing: bytes[(colon + 1)...]))
            return (user, SharedSecret(password))
        }
    }
}

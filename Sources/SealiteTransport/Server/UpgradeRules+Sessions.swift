internal import SealiteCredentials
internal import NIOHTTP1
internal import SealiteCrypto
internal import SealiteJSON

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

internal import FoundationEssentials
public import SealiteCredentials
public import SealiteCrypto
internal import SealiteJSON

/// A client that logs in to a server and out over HTTP, with `POST` and `DELETE` of `/{database}/_session`.
public struct SessionClient: Sendable {
    /// The additional trusted issuers besides the system's, as X.509 DER. Not used if the client was created with a
    /// trust rule or a transport.
    public var additionalRoots: [[UInt8]]
    /// The time limit of one call, from the name lookup to the end of the response.
    public var timeLimit: Duration
    /// A Boolean value that indicates whether a password or session may be sent unencrypted to another machine.
    public var allowsUnencrypted: Bool
    let transport: (any SessionTransport)?
    let now: @Sendable () -> Date

    /// Creates a client that trusts the system's issuers and additional ones.
    public init(
        additionalRoots: [[UInt8]] = [], timeLimit: Duration = .seconds(30), allowsUnencrypted: Bool = false
    ) {
        self.init(
            additionalRoots: additionalRoots, timeLimit: timeLimit, allowsUnencrypted: allowsUnencrypted,
            now: { Date() })
    }

    /// Creates a client that requests sessions from the server of a replicator. Pass it to the replicator's
    /// `SessionAuthenticator`, and use the replicator's trust rule and proxy, so that both accept the same
    /// certificates.
    ///
    /// - Parameters:
    ///   - trust: the rule by which the server's certificate is accepted.
    ///   - proxy: the proxy; nil for a direct connection.
    ///   - timeLimit: the time limit of one call, from the name lookup to the end of the response.
    ///   - allowsUnencrypted: a Boolean value that indicates whether a password or session may be sent unencrypted to
    ///     another machine.
    public init(
        trust: ServerTrust, proxy: HTTPProxy? = nil, timeLimit: Duration = .seconds(30), allowsUnencrypted: Bool = false
    ) {
        self.init(
            over: DialedSessionTransport(trust: trust, proxy: proxy), timeLimit: timeLimit,
            allowsUnencrypted: allowsUnencrypted)
    }

    /// Creates a client with a custom transport, which also decides which servers are trusted.
    public init(
        over transport: any SessionTransport, timeLimit: Duration = .seconds(30), allowsUnencrypted: Bool = false
    ) {
        additionalRoots = []
        self.timeLimit = timeLimit
        self.allowsUnencrypted = allowsUnencrypted
        self.transport = transport
        now = { Date() }
    }

    init(
        additionalRoots: [[UInt8]] = [], timeLimit: Duration = .seconds(30), allowsUnencrypted: Bool = false,
        now: @escaping @Sendable () -> Date
    ) {
        self.additionalRoots = additionalRoots
        self.timeLimit = timeLimit
        self.allowsUnencrypted = allowsUnencrypted
        transport = nil
        self.now = now
    }

    /// Requests a session from the server.
    ///
    /// - Parameters:
    ///   - endpoint: the database on the server, as `https://host/database`.
    ///   - name: the user's name.
    ///   - password: the password in UTF-8.
    /// - Returns: the session, with its cookie's name and end.
    /// - Throws: `rejected` for a wrong name or password; `unusable` for a password that isn't UTF-8, an endpoint that
    ///   isn't the URL of a database, or a root certificate that isn't X.509 in DER; `unencrypted`, `unreachable`,
    ///   `unknownHost`, `untrusted`, `serverFailed`, `badAnswer`, `cancelled`.
    public func logIn(
        to endpoint: CredentialService, name: String, password: borrowing SecretBytes
    ) async throws(AuthenticationError) -> SessionCredential {
        let answer = try await send(try loginCall(to: endpoint, name: name, password: password))
        switch answer.status {
        case 200: break
        case 401, 403:
            throw AuthenticationError(
                .rejected, "\(endpoint) refused the name or password of \"\(name)\"",
                hint: LoginRemedy.storePassword.hint)
        default: throw Self.unexpected(answer.status, endpoint)
        }
        return try session(from: answer, endpoint)
    }

    /// Ends a session on the server. A session that the server no longer knows counts as ended.
    ///
    /// - Throws: the errors of ``logIn(to:name:password:)`` except `rejected`.
    public func logOut(
        of endpoint: CredentialService, session: borrowing SessionCredential
    ) async throws(AuthenticationError) {
        let answer = try await send(try logoutCall(of: endpoint, session))
        guard [200, 204, 401, 404].contains(answer.status) else { throw Self.unexpected(answer.status, endpoint) }
    }

    /// Returns the session among the cookies of a response: the cookie with Sync Gateway's usual name, or the only one.
    private func session(
        from answer: HTTPAnswer, _ endpoint: CredentialService
    ) throws(AuthenticationError) -> SessionCredential {
        let time = now()
        var found: SessionCredential?
        var count = 0
        for header in answer.cookies.prefix(16) {
            guard let cookie = SetCookie(header.secret, now: time), !cookie.isRemoval(at: time) else { continue }
            count += 1
            let isUsual = cookie.name == SessionCredential.standardCookieName
            guard isUsual || count == 1 else { continue }
            found = SessionCredential(
                sessionID: cookie.value.duplicate(), cookieName: cookie.name, expires: cookie.expires)
            if isUsual { count = 1; break }
        }
        guard count == 1, let session = found.take() else {
            throw AuthenticationError(
                .badAnswer,
                "\(endpoint) answered the login without a valid session cookie: one with the name "
                    + "\(SessionCredential.standardCookieName), or a single one with any name")
        }
        return session
    }

    private static func unexpected(_ status: Int, _ endpoint: CredentialService) -> AuthenticationError {
        if status == 408 || status == 429 || status >= 500 {
            return AuthenticationError(
                .serverFailed, "\(endpoint) answered with HTTP \(status)", hint: "try again later")
        }
        if (300...399).contains(status) {
            return AuthenticationError(
                .badAnswer,
                "\(endpoint) redirects (HTTP \(status)), and a password or session isn't sent to another address",
                hint: "use the address that it redirects to")
        }
        return AuthenticationError(
            .badAnswer, "\(endpoint) answered with HTTP \(status)", hint: "check the address of the database")
    }
}

extension SessionClient {
    /// Returns the request that logs in. Its body is assembled in memory that is wiped.
    ///
    /// - Throws: `unencrypted` or `unusable`, if the request mustn't or can't be sent.
    func loginCall(
        to endpoint: CredentialService, name: String, password: borrowing SecretBytes
    ) throws(AuthenticationError) -> SessionCall {
        try checkExposure(to: endpoint)
        let isText = unsafe password.withUnsafeBytes { bytes in
            unsafe (try? UTF8Span(validating: bytes.bindMemory(to: UInt8.self).span)) != nil
        }
        guard isText else {
            throw AuthenticationError(.unusable, "the password of \"\(name)\" isn't UTF-8, which a login needs")
        }
        var writer = JSONTextWriter()
        writer.string(name)
        let before = Array("{\"name\":".utf8) + writer.bytes + Array(",\"password\":\"".utf8)
        let after = Array("\"}".utf8)
        let body = unsafe password.withUnsafeBytes { bytes in
            let text = unsafe bytes.bindMemory(to: UInt8.self)
            // The size is computed first, because a growing array leaves copies of its content in memory.
            var byteCount = before.count + after.count
            unsafe JSONEscape.forEachByte(in: text.span) { _ in byteCount += 1 }
            return unsafe SecretBytes(byteCount: byteCount) { output in
                var end = 0
                func write(_ byte: UInt8) {
                    unsafe output[end] = byte
                    end += 1
                }
                before.forEach(write)
                unsafe JSONEscape.forEachByte(in: text.span, write)
                after.forEach(write)
            }
        }
        return call(.logIn, endpoint, body: SharedSecret(body))
    }

    /// Returns the request that ends a session; throws as `loginCall(to:name:password:)` does.
    func logoutCall(
        of endpoint: CredentialService, _ session: borrowing SessionCredential
    ) throws(AuthenticationError) -> SessionCall {
        try checkExposure(to: endpoint)
        let cookie = SecretBytes.joined("\(session.cookieName)=", session.sessionID, "")
        return call(.logOut, endpoint, cookie: SharedSecret(cookie))
    }

    private func call(
        _ method: SessionCall.Method, _ endpoint: CredentialService, body: SharedSecret? = nil,
        cookie: SharedSecret? = nil
    ) -> SessionCall {
        SessionCall(
            method: method, endpoint: endpoint, body: body, cookie: cookie, timeLimit: timeLimit,
            allowsUnencrypted: allowsUnencrypted)
    }

    /// Throws `unencrypted` if a call to the endpoint would reveal a secret on an unencrypted connection to another
    /// machine and the client doesn't allow that, and `unusable` if the service isn't an endpoint.
    private func checkExposure(to endpoint: CredentialService) throws(AuthenticationError) {
        let url: EndpointURL
        do throws(TransportError) {
            url = try EndpointURL(endpoint)
        } catch {
            throw AuthenticationError(
                .unusable, "\"\(endpoint)\" can't be logged in to: it isn't a URL of a database on a server")
        }
        guard url.isEncrypted || allowsUnencrypted || url.isLoopback else {
            throw AuthenticationError(
                .unencrypted, "a password or session would be sent unencrypted to \(endpoint)",
                hint: "use https, or wss")
        }
    }

    /// Sends a call by the client's custom transport or, if it has none, over a connection that trusts the system's
    /// issuers and the additional ones.
    func send(_ call: SessionCall) async throws(AuthenticationError) -> HTTPAnswer {
        if let transport { return try await transport.send(call) }
        for root in additionalRoots where (try? CertificateVerification.publicKeyDigest(of: root)) == nil {
            throw AuthenticationError(.unusable, "an additional root certificate to trust isn't X.509 in DER")
        }
        return try await DialedSessionTransport(trust: .system(additionalRoots: additionalRoots), proxy: nil).send(call)
    }
}

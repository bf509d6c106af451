internal import FoundationEssentials
public import SealiteCredentials
public import SealiteCrypto

/// A session cookie in each handshake, and, where it knows the password, a new session when one is needed.
///
/// Made from a store, it shows the stored session. When there is none, when it ends within a minute, or when the server
/// refuses it with 401, it logs in with the stored password and stores the new session; a new one that is refused too
/// ends the matter: the credentials are rejected. Renewals that the server sends with its answers are stored.
public actor SessionAuthenticator: Authenticator {
    private let source: CredentialSource?
    private let client: SessionClient?
    private let now: @Sendable () -> Date
    /// The session, where it was given as a value.
    private var value: Session?
    /// A Boolean value that indicates whether the session is the result of a refusal, and has not been accepted yet.
    private var isLastAttempt = false
    /// The times of the handshakes that nothing was heard of since, the oldest first.
    private var shownAt: [Date] = []
    /// The number of handshakes that were under way when the session was renewed, and may still be refused for the old one.
    private var olderHandshakeCount = 0
    /// The login under way, which everybody who needs one waits for.
    private var login: Task<Result<Session, AuthenticationError>, Never>?

    /// The kinds that a session comes from.
    private static let kinds: [CredentialKind] = [.session, .password]
    /// A session that ends so soon, in seconds, is renewed first: a handshake takes its time.
    private static let margin = 60.0
    /// A handshake that nothing was heard of for so long, in seconds, is over.
    private static let handshakeLimit = 120.0

    /// Reads the session from a store at each handshake.
    ///
    /// - Parameters:
    ///   - store: where the session is, and the password.
    ///   - account: the user's name; nil when the store has one account for the endpoint.
    ///   - service: the service that they are stored for; nil for the endpoint that is called.
    ///   - client: the client that logs in; nil never does.
    ///   - access: the rule for prompts, and the time limit.
    public init(
        store: any CredentialStore, account: String? = nil, service: CredentialService? = nil,
        client: SessionClient? = SessionClient(), access: CredentialAccess = .silent
    ) {
        self.init(
            CredentialSource(store: store, service: service, account: account, access: access), client: client)
    }

    init(_ source: CredentialSource, client: SessionClient?) {
        self.source = source
        self.client = client
        if let client { now = client.now } else { now = { Date() } }
        value = nil
    }

    /// Keeps a session in locked memory as long as it lives.
    public init(
        sessionID: consuming SecretBytes, cookieName: String = SessionCredential.standardCookieName
    ) {
        source = nil
        client = nil
        now = { Date() }
        value = Session(SessionCredential(sessionID: sessionID, cookieName: cookieName))
    }

    /// Reads what to show; see ``Authenticator/secrets(for:)``.
    public func secrets(for endpoint: CredentialService) async throws(AuthenticationError) -> HandshakeSecrets {
        guard let source else {
            guard let value else { throw AuthenticationError(.notFound, "there is no session") }
            return shown(value)
        }
        return try await secrets(for: endpoint, from: try await source.match(for: endpoint, Self.kinds))
    }

    /// Returns the stored session of a match as it is shown, or a new one.
    func secrets(
        for endpoint: CredentialService, from match: CredentialMatch
    ) async throws(AuthenticationError) -> HandshakeSecrets {
        let account = try match.chosen(of: Self.kinds).account
        let stored = try match.session(of: account)
        if let stored, !isEnding(stored) { return shown(stored) }
        if client != nil {
            do throws(AuthenticationError) {
                return shown(try await renew(endpoint, account, match))
            } catch {
                // A session that is about to end is better than none.
                guard error.code == .notFound || error.isPassing, let stored, !stored.isExpired(at: now()) else {
                    throw error
                }
                return shown(stored)
            }
        }
        guard let stored else {
            throw AuthenticationError(
                .notFound, "there is no session for \(endpoint)", hint: "log in with 'sealite login'")
        }
        guard !stored.isExpired(at: now()) else {
            throw AuthenticationError(
                .rejected, "the session for \(endpoint) has ended", hint: "log in with 'sealite login'")
        }
        return shown(stored)
    }

    /// Tells whether there is something new to show; see ``Authenticator/refused(by:status:)``.
    public func refused(by endpoint: CredentialService, status: Int) async throws(AuthenticationError) -> Bool {
        try await refused(by: endpoint, status: status, nil)
    }

    /// Tells whether there is something new to show, from a match where there is one.
    func refused(
        by endpoint: CredentialService, status: Int, _ known: CredentialMatch?
    ) async throws(AuthenticationError) -> Bool {
        forgetHandshake()
        guard status == 401, let source, client != nil else { return false }
        if isLastAttempt {
            // Another handshake was refused first; what this one showed has been renewed since.
            guard olderHandshakeCount > 0 else { return false }
            olderHandshakeCount -= 1
            return true
        }
        let match: CredentialMatch
        if let known { match = known } else { match = try await source.match(for: endpoint, Self.kinds) }
        do throws(AuthenticationError) {
            _ = try await renew(endpoint, try match.chosen(of: Self.kinds).account, match)
        } catch {
            // Without a password there is nothing new to show.
            guard error.code == .notFound else { throw error }
            return false
        }
        isLastAttempt = true
        olderHandshakeCount = shownAt.count
        return true
    }

    /// Keeps a renewal; see ``Authenticator/accepted(by:cookies:)``.
    public func accepted(by endpoint: CredentialService, cookies: [SharedSecret]) async {
        forgetHandshake()
        isLastAttempt = false
        for header in cookies.prefix(16) {
            guard let cookie = SetCookie(header.secret, now: now()), !cookie.isRemoval(at: now()) else { continue }
            await keep(cookie, endpoint)
        }
    }
}

extension SessionAuthenticator {
    /// Stores a renewal. Nobody waits for the result: the session that is there goes on, and is read again next time.
    private func keep(_ cookie: borrowing SetCookie, _ endpoint: CredentialService) async {
        guard let source else {
            if value?.cookieName == cookie.name {
                value = Session(
                    SessionCredential(
                        sessionID: cookie.value.duplicate(), cookieName: cookie.name, expires: cookie.expires))
            }
            return
        }
        guard let match = try? await source.match(for: endpoint, Self.kinds),
            let account = try? match.chosen(of: Self.kinds).account,
            let reference = try? match.reference(account, .session),
            let name = try? match.session(of: account)?.cookieName, name == cookie.name
        else { return }
        let renewed = SessionCredential(
            sessionID: cookie.value.duplicate(), cookieName: cookie.name, expires: cookie.expires)
        try? await source.save(renewed, as: reference)
    }

    private func shown(_ session: Session) -> HandshakeSecrets {
        let time = now()
        shownAt.removeAll { $0 < time.addingTimeInterval(-Self.handshakeLimit) }
        shownAt.append(time)
        return .cookie(name: session.cookieName, value: session.sessionID.secret)
    }

    private func forgetHandshake() {
        if !shownAt.isEmpty { shownAt.removeFirst() }
    }

    private func isEnding(_ session: Session) -> Bool {
        session.isExpired(at: now().addingTimeInterval(Self.margin))
    }

    /// Logs in and stores the session; several callers at once wait for one login.
    private func renew(
        _ endpoint: CredentialService, _ account: String, _ match: CredentialMatch
    ) async throws(AuthenticationError) -> Session {
        let task: Task<Result<Session, AuthenticationError>, Never>
        if let login {
            task = login
        } else {
            task = Task { [source, client] in
                do throws(AuthenticationError) {
                    guard let source, let client else { throw AuthenticationError(.notFound, "there is no session") }
                    let session = try await client.logIn(
                        to: endpoint, name: account, password: try match.password(of: account))
                    let made = Session(session)
                    try await source.save(session, as: try match.reference(account, .session))
                    return .success(made)
                } catch {
                    return .failure(error)
                }
            }
            login = task
        }
        let result = await task.value
        if login == task { login = nil }
        return try result.get()
    }
}

/// The shared form of a session, which several handshakes show and a noncopyable `SessionCredential` can't be.
struct Session: Sendable {
    /// The name of the cookie.
    let cookieName: String
    /// The value of the cookie.
    let sessionID: SharedSecret
    /// The end of the session; nil when the server didn't say.
    let expires: Date?

    /// Makes the shared form of a stored session.
    init(_ session: borrowing SessionCredential) {
        cookieName = session.cookieName
        sessionID = SharedSecret(session.sessionID.duplicate())
        expires = session.expires
    }

    /// Returns whether the session is over at a time.
    func isExpired(at time: Date) -> Bool { expires.map { $0 <= time } ?? false }
}

internal import FoundationEssentials
public import SealiteCredentials
public import SealiteCrypto

/// A copy of a stored login session that several handshakes can share; a `SessionCredential`, which is noncopyable,
/// can't be shared.
struct Session: Sendable {
    /// The name of the cookie by which the server recognizes the session.
    let cookieName: String
    /// The value of the cookie, a secret.
    let sessionID: SharedSecret
    /// The end of the session; nil if the server didn't state it.
    let expires: Date?

    /// Creates a copy of a stored session.
    init(_ session: borrowing SessionCredential) {
        cookieName = session.cookieName
        sessionID = SharedSecret(session.sessionID.duplicate())
        expires = session.expires
    }

    /// Returns whether the session has ended at a time; false if its end isn't known.
    func isExpired(at time: Date) -> Bool { expires.map { $0 <= time } ?? false }
}

/// Authentication with a session cookie in each handshake; if the password is known, a new session is requested when
/// needed.
///
/// With a store, the authenticator presents the stored session. Unless it was created without a client, it logs in with
/// the stored password if there is no session, the session expires within a minute, or the server refuses it with 401,
/// and stores the new session. If no password is stored, or the login fails with a transient error, it presents an
/// expiring session until its end. With a session that was given as a value, it never logs in. If the server refuses
/// the new session too, the credentials are rejected. Renewals of the session in the server's responses are stored.
public actor SessionAuthenticator: Authenticator {
    private let source: CredentialSource?
    private let client: SessionClient?
    private let now: @Sendable () -> Date
    /// The session, if it was given as a value rather than stored; otherwise nil.
    private var value: Session?
    /// A Boolean value that indicates whether the session comes from a login after a refusal and hasn't been accepted
    /// by the server yet.
    private var isLastAttempt = false
    /// The times at which secrets were returned for handshakes whose outcome hasn't been reported, in ascending order.
    private var shownAt: [Date] = []
    /// The number of handshakes that were in progress when the session was renewed, and may still be refused because of
    /// the old session.
    private var olderHandshakeCount = 0
    /// The login in progress, which all callers that need one wait for.
    private var login: Task<Result<Session, AuthenticationError>, Never>?

    /// The kinds of credentials that provide a session.
    private static let kinds: [CredentialKind] = [.session, .password]
    /// The remaining lifetime, in seconds, below which a session is renewed, because a handshake takes time.
    private static let margin = 60.0
    /// The time, in seconds, after which a handshake without a reported outcome counts as ended.
    private static let handshakeLimit = 120.0

    /// Creates an authenticator that reads the session from a store at each handshake.
    ///
    /// - Parameters:
    ///   - store: the store with the session and the password.
    ///   - account: the user's name; nil for the only account that the store has for the endpoint.
    ///   - service: the service of the stored credentials; nil for the endpoint of the handshake.
    ///   - client: the client that logs in; nil to never log in.
    ///   - access: the rule for prompts, and the time limit.
    public init(
        store: any CredentialStore, account: String? = nil, service: CredentialService? = nil,
        client: SessionClient? = SessionClient(), access: CredentialAccess = .silent
    ) {
        self.init(CredentialSource(store, account, service, access), client: client)
    }

    init(_ source: CredentialSource, client: SessionClient?) {
        self.source = source
        self.client = client
        if let client { now = client.now } else { now = { Date() } }
        value = nil
    }

    /// Creates an authenticator with a session, which it keeps in locked memory during its lifetime.
    public init(
        sessionID: consuming SecretBytes, cookieName: String = SessionCredential.standardCookieName
    ) {
        source = nil
        client = nil
        now = { Date() }
        value = Session(SessionCredential(sessionID: sessionID, cookieName: cookieName))
    }

    /// Returns the secrets for a handshake; see ``Authenticator/secrets(for:)``.
    public func secrets(for endpoint: CredentialService) async throws(AuthenticationError) -> HandshakeSecrets {
        guard let source else {
            guard let value else {
                throw AuthenticationError(
                    .notFound, "there is no session for \(endpoint)", hint: LoginRemedy.logIn.hint)
            }
            return shown(value)
        }
        return try await secrets(for: endpoint, from: try await source.match(for: endpoint, Self.kinds))
    }

    /// Returns the secrets for a handshake with the session in `match`, the credentials that the store returned, or
    /// with a new session if there is none or it expires within a minute.
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
                // If the session can't be renewed, a session that is about to expire is still presented.
                guard error.code == .notFound || error.isTransient, let stored, !stored.isExpired(at: now()) else {
                    throw error
                }
                return shown(stored)
            }
        }
        guard let stored else {
            throw AuthenticationError(
                .notFound,
                "the credential store has no session for \(endpoint), and the authenticator has no client to log in",
                hint: LoginRemedy.logIn.hint)
        }
        guard !stored.isExpired(at: now()) else {
            throw AuthenticationError(
                .rejected,
                "the stored session for \(endpoint) has expired, and the authenticator has no client to log in",
                hint: LoginRemedy.logIn.hint)
        }
        return shown(stored)
    }

    /// Logs in again if the server refused the session with 401, and returns whether there is a new session; see
    /// ``Authenticator/refused(by:status:)``.
    public func refused(by endpoint: CredentialService, status: Int) async throws(AuthenticationError) -> Bool {
        try await refused(by: endpoint, status: status, nil)
    }

    /// Logs in again if the server refused the session with 401, and returns whether there is a new session. `known`
    /// has the credentials that the caller has already read from the store; nil to read them now.
    func refused(
        by endpoint: CredentialService, status: Int, _ known: CredentialMatch?
    ) async throws(AuthenticationError) -> Bool {
        forgetHandshake()
        guard status == 401, let source, client != nil else { return false }
        if isLastAttempt {
            // Another handshake was refused first, and the session of this handshake has been renewed since.
            guard olderHandshakeCount > 0 else { return false }
            olderHandshakeCount -= 1
            return true
        }
        let match: CredentialMatch
        if let known { match = known } else { match = try await source.match(for: endpoint, Self.kinds) }
        do throws(AuthenticationError) {
            _ = try await renew(endpoint, try match.chosen(of: Self.kinds).account, match)
        } catch {
            // Without a password there are no new secrets.
            guard error.code == .notFound else { throw error }
            return false
        }
        isLastAttempt = true
        olderHandshakeCount = shownAt.count
        return true
    }

    /// Stores the session if the server's response renews it; see ``Authenticator/accepted(by:cookies:)``.
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
    /// Stores a renewed session; a cookie with another name than that of the present session is ignored. A failure has
    /// no effect: the present session stays in use, and the store is read again at the next handshake.
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

    /// Logs in and stores the session; simultaneous callers wait for one login.
    private func renew(
        _ endpoint: CredentialService, _ account: String, _ match: CredentialMatch
    ) async throws(AuthenticationError) -> Session {
        let task: Task<Result<Session, AuthenticationError>, Never>
        if let login {
            task = login
        } else {
            task = Task { [source, client] in
                do throws(AuthenticationError) {
                    guard let source, let client else {
                        throw AuthenticationError(
                            .notFound, "there is no session for \(endpoint)", hint: LoginRemedy.logIn.hint)
                    }
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

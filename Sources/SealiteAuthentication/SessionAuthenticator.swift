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
    private var value: Value?
    /// Whether the session is the result of a refusal, and has not been accepted yet.
    private var isLastAttempt = false
    /// When what was shown in handshakes that nothing was heard of since was shown, the oldest first.
    private var shownAt: [Date] = []
    /// How many handshakes were under way when the session was renewed, and may be refused for the old one still.
    private var olderHandshakeCount = 0
    /// The login under way, which everybody who needs one waits for.
    private var login: Task<Result<Void, AuthenticationError>, Never>?

    private struct Value {
        let cookieName: String
        let sessionID: SharedSecret
    }

    /// A session that ends so soon, in seconds, is renewed first: a handshake takes its time.
    private static let margin = 60.0
    /// A handshake that nothing was heard of for so long, in seconds, is over.
    private static let handshakeLimit = 120.0

    /// Reads the session from a store at each handshake.
    ///
    /// - Parameters:
    ///   - store: where the session is, and the password.
    ///   - account: the user's name; nil when the store has one account for the endpoint.
    ///   - service: what they are stored for; nil for the endpoint that is called.
    ///   - client: logs in; nil never does.
    ///   - access: whether the store may show a prompt, and its time limit.
    public init(
        store: any CredentialStore, account: String? = nil, service: CredentialService? = nil,
        client: SessionClient? = SessionClient(), access: CredentialAccess = .silent
    ) {
        source = CredentialSource(store: store, service: service, account: account, access: access)
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
        value = Value(cookieName: cookieName, sessionID: SharedSecret(sessionID))
    }

    /// Reads what to show; see ``Authenticator/secrets(for:)``.
    public func secrets(for endpoint: CredentialService) async throws(AuthenticationError) -> HandshakeSecrets {
        guard let source else {
            guard let value else { throw AuthenticationError(.notFound, "there is no session") }
            return shown(value.cookieName, value.sessionID.secret)
        }
        let reference = try await sessionReference(for: endpoint, source)
        if let session = try await stored(reference, source), !isEnding(session) { return shown(session) }
        if client != nil {
            do throws(AuthenticationError) {
                try await renew(endpoint, reference, source)
            } catch {
                // A session that is about to end is better than none.
                guard error.code == .notFound || error.isPassing, let session = try await stored(reference, source),
                    !session.isExpired(at: now())
                else { throw error }
                return shown(session)
            }
        }
        guard let session = try await stored(reference, source) else {
            throw AuthenticationError(
                .notFound, "there is no session for \(endpoint)", hint: "log in with 'sealite login'")
        }
        guard !session.isExpired(at: now()) else {
            throw AuthenticationError(
                .rejected, "the session for \(endpoint) has ended", hint: "log in with 'sealite login'")
        }
        return shown(session)
    }

    /// Tells whether there is something new to show; see ``Authenticator/refused(by:status:)``.
    public func refused(by endpoint: CredentialService, status: Int) async throws(AuthenticationError) -> Bool {
        forgetHandshake()
        guard status == 401, let source, client != nil else { return false }
        if isLastAttempt {
            // Another handshake was refused first; what this one showed has been renewed since.
            guard olderHandshakeCount > 0 else { return false }
            olderHandshakeCount -= 1
            return true
        }
        let reference = try await sessionReference(for: endpoint, source)
        do throws(AuthenticationError) {
            try await renew(endpoint, reference, source)
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
    public func accepted(by endpoint: CredentialService, cookies: [SecretBox]) async {
        forgetHandshake()
        isLastAttempt = false
        for box in cookies.prefix(16) {
            guard let header = box.take(), let cookie = SetCookie(header, now: now()), !cookie.isRemoval(at: now())
            else { continue }
            await keep(cookie, endpoint)
        }
    }
}

extension SessionAuthenticator {
    /// Stores a renewal. Nobody waits for the result: the session that is there goes on, and is read again next time.
    private func keep(_ cookie: borrowing SetCookie, _ endpoint: CredentialService) async {
        guard let source else {
            if value?.cookieName == cookie.name {
                value = Value(cookieName: cookie.name, sessionID: SharedSecret(cookie.value.duplicate()))
            }
            return
        }
        guard let reference = try? await sessionReference(for: endpoint, source),
            let name = try? await stored(reference, source)?.cookieName, name == cookie.name
        else { return }
        let renewed = SessionCredential(
            sessionID: cookie.value.duplicate(), cookieName: cookie.name, expires: cookie.expires)
        try? await source.store.save(
            .session(renewed), service: reference.service, account: reference.account, label: nil, access: source.access
        )
    }

    private func shown(_ session: borrowing SessionCredential) -> HandshakeSecrets {
        shown(session.cookieName, session.sessionID)
    }

    private func shown(_ name: String, _ sessionID: borrowing SecretBytes) -> HandshakeSecrets {
        let time = now()
        shownAt.removeAll { $0 < time.addingTimeInterval(-Self.handshakeLimit) }
        shownAt.append(time)
        return HandshakeSecrets(cookie: SecretBox(SecretBytes.joined("\(name)=", sessionID, "")))
    }

    private func forgetHandshake() {
        if !shownAt.isEmpty { shownAt.removeFirst() }
    }

    private func isEnding(_ session: borrowing SessionCredential) -> Bool {
        session.isExpired(at: now().addingTimeInterval(Self.margin))
    }

    /// Where the session is, or would be.
    private func sessionReference(
        for endpoint: CredentialService, _ source: CredentialSource
    ) async throws(AuthenticationError) -> CredentialReference {
        let found = try await source.reference(for: endpoint, [.session, .password])
        do throws(CredentialError) {
            return try CredentialReference(service: found.service, account: found.account, kind: .session)
        } catch {
            throw AuthenticationError(error)
        }
    }

    private func stored(
        _ reference: CredentialReference, _ source: CredentialSource
    ) async throws(AuthenticationError) -> SessionCredential? {
        switch try await source.readIfThere(reference) {
        case .none: return nil
        case .some(.session(let session)): return .some(session)
        case .some: throw .wrongKind(reference)
        }
    }

    /// Logs in and stores the session; several callers at once wait for one login.
    private func renew(
        _ endpoint: CredentialService, _ reference: CredentialReference, _ source: CredentialSource
    ) async throws(AuthenticationError) {
        let task: Task<Result<Void, AuthenticationError>, Never>
        if let login {
            task = login
        } else {
            task = Task { [client] in
                do throws(AuthenticationError) {
                    try await Self.logIn(endpoint, reference, source, client)
                    return .success(())
                } catch {
                    return .failure(error)
                }
            }
            login = task
        }
        let result = await task.value
        if login == task { login = nil }
        try result.get()
    }

    private static func logIn(
        _ endpoint: CredentialService, _ reference: CredentialReference, _ source: CredentialSource,
        _ client: SessionClient?
    ) async throws(AuthenticationError) {
        guard let client else { return }
        let password = try passwordReference(reference)
        guard case .password(let secret) = try await source.read(password) else { throw .wrongKind(password) }
        let session = try await client.logIn(to: endpoint, name: reference.account, password: secret)
        do throws(CredentialError) {
            try await source.store.save(
                .session(session), service: reference.service, account: reference.account, label: nil,
                access: source.access)
        } catch {
            throw AuthenticationError(error)
        }
    }

    private static func passwordReference(
        _ reference: CredentialReference
    ) throws(AuthenticationError) -> CredentialReference {
        do throws(CredentialError) {
            return try CredentialReference(service: reference.service, account: reference.account, kind: .password)
        } catch {
            throw AuthenticationError(error)
        }
    }
}

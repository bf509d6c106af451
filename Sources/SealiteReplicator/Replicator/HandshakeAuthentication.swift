internal import SealiteTransport
internal import SealiteAuthentication
internal import SealiteCredentials
internal import SealiteCrypto

/// Asks a replicator's authenticator what to show at a handshake, and tells it how that went.
struct HandshakeAuthentication: Sendable {
    private let authenticator: (any Authenticator)?
    private let service: CredentialService
    private let isContinuous: Bool

    /// - Throws: `invalidConfiguration`.
    init(_ configuration: ReplicatorConfiguration) throws(ReplicatorError) {
        authenticator = configuration.authenticator
        isContinuous = configuration.continuous
        do throws(CredentialError) {
            service = try CredentialService(configuration.target.description)
        } catch {
            throw ReplicatorError(.invalidConfiguration, error.reason)
        }
    }

    /// What to show now; nothing without an authenticator.
    func credentials() async throws(ReplicatorError) -> HandshakeCredentials {
        guard let authenticator else { return HandshakeCredentials() }
        do throws(AuthenticationError) {
            return HandshakeCredentials(try await authenticator.secrets(for: service))
        } catch {
            throw ReplicatorError(error)
        }
    }

    /// Hands on the cookies of an upgrade, which may renew a session.
    func accepted(_ answer: HTTPAnswer?) async {
        await authenticator?.accepted(
            by: service, cookies: answer?.cookies.map { SecretBox($0.duplicate()) } ?? [])
    }

    /// Whether a refused handshake is worth another attempt at once, with something new to show.
    func refused(_ error: TransportError) async throws(ReplicatorError) -> Bool {
        guard let authenticator, case .http(let status) = error.code else { return false }
        do throws(AuthenticationError) {
            return try await authenticator.refused(by: service, status: status)
        } catch {
            throw ReplicatorError(error)
        }
    }

    /// The error of a handshake that failed for good.
    func error(_ error: TransportError) -> ReplicatorError {
        guard error.code == .http(401), authenticator != nil else {
            return ReplicatorError(error, isContinuous: isContinuous)
        }
        var rejection = TransportError(error.code, "credentials rejected: \(error.reason)")
        rejection.answer = error.answer
        return ReplicatorError(rejection, isContinuous: isContinuous)
    }
}

extension HandshakeCredentials {
    /// What an authenticator wants to show, for as long as one handshake takes.
    init(_ secrets: HandshakeSecrets) {
        self.init()
        if let header = secrets.authorization?.take() { authorization = SharedSecret(header) }
        if let cookie = secrets.cookie?.take() { cookies = [SharedSecret(cookie)] }
        if let key = secrets.privateKey?.take() {
            identity = TransportIdentity(certificates: secrets.certificates, privateKey: key)
        }
    }
}

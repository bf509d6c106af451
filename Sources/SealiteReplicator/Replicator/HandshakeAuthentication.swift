internal import SealiteTransport
internal import SealiteAuthentication
internal import SealiteCredentials

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

    /// Returns what to show now; nothing without an authenticator.
    func credentials() async throws(ReplicatorError) -> HandshakeSecrets {
        guard let authenticator else { return HandshakeSecrets() }
        do throws(AuthenticationError) {
            return try await authenticator.secrets(for: service)
        } catch {
            throw ReplicatorError(error)
        }
    }

    /// Hands on the cookies of an upgrade, which may renew a session.
    func accepted(_ answer: HTTPAnswer?) async {
        await authenticator?.accepted(by: service, cookies: answer?.cookies ?? [])
    }

    /// Returns whether a refused handshake is worth another attempt at once, with something new to show.
    func refused(_ error: TransportError) async throws(ReplicatorError) -> Bool {
        guard let authenticator, case .http(let status) = error.code else { return false }
        do throws(AuthenticationError) {
            return try await authenticator.refused(by: service, status: status)
        } catch {
            throw ReplicatorError(error)
        }
    }

    /// Returns the error of a handshake that failed for good.
    func error(_ error: TransportError) -> ReplicatorError {
        guard error.code == .http(401), authenticator != nil else {
            return ReplicatorError(error, isContinuous: isContinuous)
        }
        var rejection = TransportError(error.code, "credentials rejected: \(error.reason)")
        rejection.answer = error.answer
        return ReplicatorError(rejection, isContinuous: isContinuous)
    }
}

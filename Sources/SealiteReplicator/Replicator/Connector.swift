internal import SealiteAuthentication
internal import SealiteCredentials
internal import SealiteTransport

/// Opens the connections of one run of a replicator: gets credentials from its authenticator for each handshake, dials,
/// and reports the result to the authenticator.
actor Connector {
    private let configuration: ReplicatorConfiguration
    private let open: Dial
    private let service: CredentialService
    private let log: ReplicatorLog
    private let tell: @Sendable (ReplicatorEvent) -> Void
    private var dialing: Task<any MessageConnection, any Error>?
    private var isStopping = false

    /// Creates a connector that opens connections by calling `open`.
    ///
    /// - Throws: `invalidConfiguration`.
    init(
        _ configuration: ReplicatorConfiguration, dialing open: @escaping Dial, log: ReplicatorLog,
        tell: @escaping @Sendable (ReplicatorEvent) -> Void
    ) throws(ReplicatorError) {
        (self.configuration, self.open, self.log, self.tell) = (configuration, open, log, tell)
        do throws(CredentialError) {
            service = try CredentialService(configuration.target.description)
        } catch {
            throw ReplicatorError(.invalidConfiguration, error.reason)
        }
    }

    /// Opens a connection to the remote. If the remote refuses the credentials, they are renewed once, if possible.
    func connect() async throws(ReplicatorError) -> any MessageConnection {
        var hasRenewed = false
        while true {
            let request = try await request()
            log.connects()
            do {
                let connection = try await dial(request)
                // The cookies of the response may renew the login session.
                let cookies = connection.info.answer?.cookies ?? []
                await configuration.authenticator?.accepted(by: service, cookies: cookies)
                let own = configuration.database.versioning
                guard own.served.contains(connection.info.subprotocol) else {
                    await connection.close(code: 1_000, reason: "")
                    throw ReplicatorError.incompatible(own, remote: connection.info.subprotocol)
                }
                return connection
            } catch {
                if let error = error as? ReplicatorError { throw error }
                guard let error = error as? TransportError else {
                    throw ReplicatorError(
                        .connection(.cancelled), "connecting to \(configuration.peerName) was cancelled")
                }
                tell(.certificates(error.serverCertificates))
                if !isStopping, !hasRenewed, try await hasNewSecrets(after: error) {
                    hasRenewed = true
                    log.refused(error)
                    continue
                }
                throw explained(error)
            }
        }
    }

    /// Cancels the connection that is being opened, and refuses to open another.
    func stop() {
        isStopping = true
        dialing?.cancel()
    }

    /// Returns the request of a handshake with the authenticator's current credentials.
    private func request() async throws(ReplicatorError) -> UpgradeRequest {
        var request = UpgradeRequest(to: configuration.target)
        request.subprotocols = configuration.database.versioning.offered
        request.headers = configuration.headers
        request.trust = configuration.trust
        request.proxy = configuration.proxy
        request.networkInterface = configuration.networkInterface
        request.heartbeat = configuration.heartbeat
        request.allowsUnencryptedCredentials = configuration.allowsUnencryptedCredentials
        guard let authenticator = configuration.authenticator else { return request }
        do throws(AuthenticationError) {
            request.credentials = try await authenticator.secrets(for: service)
        } catch {
            throw ReplicatorError(error)
        }
        return request
    }

    private func dial(_ request: UpgradeRequest) async throws -> any MessageConnection {
        let open = open
        let task = Task<any MessageConnection, any Error> { try await open(request) }
        dialing = task
        if isStopping { task.cancel() }
        defer { dialing = nil }
        return try await task.value
    }

    /// Returns whether the authenticator has renewed its credentials after a refused handshake, so that the handshake
    /// should be retried immediately.
    private func hasNewSecrets(after error: TransportError) async throws(ReplicatorError) -> Bool {
        guard let authenticator = configuration.authenticator, case .http(let status) = error.code else { return false }
        do throws(AuthenticationError) {
            return try await authenticator.refused(by: service, status: status)
        } catch {
            throw ReplicatorError(error)
        }
    }

    /// Converts the error of a handshake that isn't retried with renewed credentials.
    private func explained(_ error: TransportError) -> ReplicatorError {
        if let incompatible = ReplicatorError.incompatible(configuration.database.versioning, refused: error) {
            return incompatible
        }
        guard error.code == .http(401), configuration.authenticator != nil else {
            return ReplicatorError(error, isContinuous: configuration.continuous)
        }
        var rejection = TransportError(error.code, "credentials rejected: \(error.reason)")
        rejection.answer = error.answer
        rejection.serverCertificates = error.serverCertificates
        return ReplicatorError(rejection, isContinuous: configuration.continuous)
    }
}

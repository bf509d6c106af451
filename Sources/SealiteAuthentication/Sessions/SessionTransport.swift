public import SealiteCredentials

/// Transmits the calls of a ``SessionClient``. A custom transport allows servers whose certificate isn't issued by a
/// trusted issuer. Safe from any task.
public protocol SessionTransport: Sendable {
    /// Sends a call on a separate connection and reads the response. It follows no redirects.
    ///
    /// - Throws: `untrusted`, `unreachable`, `unknownHost`, `badAnswer`, `unencrypted`, `unusable`, `cancelled`. A
    ///   status that reports an error is returned, not thrown.
    func send(_ call: SessionCall) async throws(AuthenticationError) -> HTTPAnswer
}

package import SealiteCredentials

/// The input of a handshake: the endpoint, the credentials, the trust. Callers make one for each attempt.
package struct UpgradeRequest: Sendable {
    /// The database to connect to.
    package var endpoint: EndpointURL
    /// The subprotocols offered, the preferred first.
    package var subprotocols = ["BLIP_3+CBMobile_3", "BLIP_3+CBMobile_2"]
    /// The value of `User-Agent`.
    package var userAgent = "Sealite"
    /// Further headers. An `Authorization` among them replaces that of the credentials; a `Cookie` is joined with
    /// theirs.
    package var headers: [HTTPField] = []
    /// The credentials of this client.
    package var credentials = HandshakeSecrets()
    /// The rule by which the server's certificate is accepted.
    package var trust = ServerTrust.system()
    /// A proxy to go through; nil connects directly.
    package var proxy: HTTPProxy?
    /// The name or an address of the local interface to use; nil lets the system choose.
    package var networkInterface: String?
    /// The time limit of the handshake, from the name look-up to the response, including redirects.
    package var handshakeTimeout: Duration = .seconds(60)
    /// The time after which an idle peer is sent a ping; the connection is lost if the peer doesn't respond within the
    /// same time again.
    package var heartbeat: Duration = .seconds(300)
    /// The limits on the memory that the peer makes this side use.
    package var limits = ConnectionLimits()
    /// A Boolean value that indicates whether credentials may be sent unencrypted to another machine.
    package var allowsUnencryptedCredentials = false

    /// Creates a request with the defaults.
    package init(to endpoint: EndpointURL) { self.endpoint = endpoint }

    /// A Boolean value that indicates whether the request holds a credential that an unencrypted connection would
    /// reveal.
    var hasSecrets: Bool { credentials.hasHeaders || headers.contains(where: \.isSecret) }
}

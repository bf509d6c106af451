internal import NIOSSL
internal import SealiteCrypto
internal import SealiteEndpoints

// .exposing: in this file private keys are copied from `SecretBytes` to ordinary bytes, the only form that SwiftNIO's
// TLS accepts. The copies are overwritten.

extension TransportIdentity {
    /// Returns the certificates and the key in the form of SwiftNIO's TLS.
    ///
    /// - Throws: `badIdentity`.
    func parsed() throws(TransportError) -> (chain: [NIOSSLCertificateSource], key: NIOSSLPrivateKeySource) {
        guard !certificates.isEmpty else { throw TransportError(.badIdentity, "the TLS identity has no certificate") }
        var bytes = unsafe privateKey.withUnsafeBytes { unsafe Array($0) }
        defer { for index in bytes.indices { bytes[index] = 0 } }
        do {
            let chain = try certificates.map { try NIOSSLCertificate(bytes: $0, format: .der) }
            let key = try NIOSSLPrivateKey(bytes: bytes, format: .der)
            return (chain.map { .certificate($0) }, .privateKey(key))
        } catch {
            throw TransportError(
                .badIdentity,
                "a certificate of the TLS identity isn't X.509 in DER, or its private key isn't an unencrypted key in DER"
            )
        }
    }
}

extension NIOSSLContext {
    /// Creates the context of a client. `ServerTrust` checks the server's certificate, not TLS itself.
    ///
    /// - Throws: `badIdentity` if the identity can't be used; `tlsFailed` if TLS can't be set up without one.
    static func client(identity: TransportIdentity?) throws(TransportError) -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.certificateVerification = .noHostnameVerification
        configuration.trustRoots = .certificates([])
        configuration.applicationProtocols = ["http/1.1"]
        if let identity {
            let (chain, key) = try identity.parsed()
            configuration.certificateChain = chain
            configuration.privateKey = key
        }
        return try make(configuration, hasIdentity: identity != nil)
    }

    /// Creates the context of a server.
    ///
    /// - Parameters:
    ///   - identity: the server's certificate and key.
    ///   - acceptedRoots: the issuers named in the request for a client certificate, as X.509 DER; nil requests none.
    /// - Returns: the context.
    /// - Throws: `badIdentity`.
    static func server(
        identity: TransportIdentity, acceptedRoots: [[UInt8]]?
    ) throws(TransportError) -> NIOSSLContext {
        let (chain, key) = try identity.parsed()
        var configuration = TLSConfiguration.makeServerConfiguration(certificateChain: chain, privateKey: key)
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        if let acceptedRoots {
            configuration.certificateVerification = .noHostnameVerification
            do {
                configuration.trustRoots = .certificates(
                    try acceptedRoots.map { try NIOSSLCertificate(bytes: $0, format: .der) })
            } catch {
                throw TransportError(.badIdentity, "a root certificate for client certificates isn't X.509 in DER")
            }
            configuration.sendCANameList = !acceptedRoots.isEmpty
        }
        return try make(configuration, hasIdentity: true)
    }

    private static func make(
        _ configuration: TLSConfiguration, hasIdentity: Bool
    ) throws(TransportError) -> NIOSSLContext {
        do {
            return try NIOSSLContext(configuration: configuration)
        } catch {
            throw hasIdentity
                ? TransportError(
                    .badIdentity,
                    "TLS can't use the identity: its certificate and private key may not belong together, or not be supported"
                )
                : TransportError(.tlsFailed, "TLS could not be set up")
        }
    }
}

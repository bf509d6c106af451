internal import SealiteCredentials
internal import SealiteCrypto
internal import SealiteJSON

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

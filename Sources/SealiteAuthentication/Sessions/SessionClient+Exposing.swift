internal import AsyncHTTPClient
internal import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL
internal import SealiteCredentials
internal import SealiteCrypto
internal import SealiteJSON

// .exposing: here secrets leave `SecretBytes`, as the last step before the HTTP client, which takes nothing else. They are
// neither stored nor logged.

extension SessionClient {
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
            // First its size: memory that grows leaves pieces behind.
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
        return call(.logIn, endpoint, body: SecretBox(body))
    }

    func logoutCall(
        of endpoint: CredentialService, _ session: borrowing SessionCredential
    ) throws(AuthenticationError) -> SessionCall {
        try checkExposure(to: endpoint)
        let cookie = SecretText.join("\(session.cookieName)=", session.sessionID, "")
        return call(.logOut, endpoint, cookie: SecretBox(cookie))
    }

    private func call(
        _ method: SessionCall.Method, _ endpoint: CredentialService, body: SecretBox? = nil, cookie: SecretBox? = nil
    ) -> SessionCall {
        SessionCall(
            method: method, endpoint: endpoint, body: body, cookie: cookie, timeLimit: timeLimit,
            allowsUnencrypted: allowsUnencrypted)
    }

    private func checkExposure(to endpoint: CredentialService) throws(AuthenticationError) {
        guard let scheme = endpoint.scheme else {
            throw AuthenticationError(.unusable, "\"\(endpoint)\" is no endpoint to log in to")
        }
        guard scheme == "https" || allowsUnencrypted || endpoint.isThisMachine else {
            throw AuthenticationError(
                .unencrypted, "\(endpoint) would get the password unencrypted", hint: "use https, or wss")
        }
    }

    /// Sends a call on a connection of its own, and reads the answer to its end, 64 KiB at most.
    func send(_ call: SessionCall) async throws(AuthenticationError) -> SessionAnswer {
        if let transport { return try await transport.send(call) }
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: try configuration())
        let result: Result<SessionAnswer, any Error>
        do {
            result = .success(try await answer(to: Self.request(call), within: call.timeLimit, client))
        } catch {
            result = .failure(error)
        }
        try? await client.shutdown()
        switch result {
        case .success(let answer): return answer
        case .failure(let error): throw Self.error(error, call.endpoint)
        }
    }

    /// The client's own limit ends where the body begins; this one is for the answer to its end.
    private func answer(
        to request: HTTPClientRequest, within timeLimit: Duration, _ client: HTTPClient
    ) async throws -> SessionAnswer {
        let limit = Duration.nanoseconds(timeLimit.nanoseconds)
        return try await withThrowingTaskGroup(of: SessionAnswer?.self) { group in
            group.addTask {
                let response = try await client.execute(request, deadline: .distantFuture)
                _ = try await response.body.collect(upTo: 64 << 10)
                let cookies = response.headers["Set-Cookie"].map { text in
                    SecretBox(unsafe SecretBytes(byteCount: text.utf8.count) { unsafe $0.copyBytes(from: text.utf8) })
                }
                return SessionAnswer(status: Int(response.status.code), cookies: cookies)
            }
            group.addTask {
                try await Task.sleep(for: limit)
                return nil
            }
            defer { group.cancelAll() }
            guard let answer = try await group.next().flatMap(\.self) else { throw HTTPClientError.deadlineExceeded }
            return answer
        }
    }

    private static func request(_ call: SessionCall) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: call.endpoint.canonical + "/_session")
        request.method = HTTPMethod(rawValue: call.method.rawValue)
        if let cookie = call.cookie?.take() {
            request.headers.add(
                name: "Cookie", value: unsafe cookie.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) })
        }
        if let secret = call.body?.take() {
            request.headers.add(name: "Content-Type", value: "application/json")
            var body = ByteBuffer()
            _ = unsafe secret.withUnsafeBytes { unsafe body.writeBytes($0) }
            request.body = .bytes(body)
        }
        return request
    }

    private func configuration() throws(AuthenticationError) -> HTTPClient.Configuration {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        do {
            tls.additionalTrustRoots = [
                .certificates(try additionalRoots.map { try NIOSSLCertificate(bytes: $0, format: .der) })
            ]
        } catch {
            throw AuthenticationError(.unusable, "a trusted certificate isn't X.509 in DER")
        }
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls, redirectConfiguration: .disallow)
        configuration.httpVersion = .http1Only
        configuration.connectionPool.retryConnectionEstablishment = false
        return configuration
    }

    /// The client's errors quote hosts at most; only their kind is passed on.
    private static func error(_ error: any Error, _ endpoint: CredentialService) -> AuthenticationError {
        if error is CancellationError { return AuthenticationError(.cancelled, "the login was cancelled") }
        if let error = error as? HTTPClientError {
            switch error {
            case .cancelled: return AuthenticationError(.cancelled, "the login was cancelled")
            case .deadlineExceeded, .connectTimeout, .readTimeout, .tlsHandshakeTimeout:
                return AuthenticationError(.unreachable, "\(endpoint) didn't answer in time", hint: "try again later")
            default: break
            }
        }
        if error is NIOSSLError || error is BoringSSLError || error is NIOSSLExtraError {
            return AuthenticationError(
                .untrusted, "no trusted TLS connection to \(endpoint): its certificate or its TLS is not acceptable",
                hint: "check the certificate, or name its issuer")
        }
        if error is NIOTooManyBytesError || error is HTTPParserError {
            return AuthenticationError(.badAnswer, "\(endpoint) gave no proper answer to the login")
        }
        return AuthenticationError(
            .unreachable, "\(endpoint) can't be reached", hint: "check the address and the network, and try again")
    }
}

extension Duration {
    fileprivate var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return max(0, min(seconds, 86_400)) * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}

extension CredentialService {
    /// Whether the endpoint is on this machine, by address or by the name that RFC 6761 reserves for it.
    var isThisMachine: Bool {
        guard let start = canonical.firstRange(of: "://")?.upperBound else { return false }
        let authority = canonical[start...].prefix { $0 != "/" }
        if authority.hasPrefix("[") { return authority.hasPrefix("[::1]") }
        let host = authority.prefix { $0 != ":" }
        let bytes = host.split(separator: ".", omittingEmptySubsequences: false)
        return host == "localhost" || host.hasSuffix(".localhost")
            || (bytes.count == 4 && bytes[0] == "127" && bytes.allSatisfy { UInt8($0) != nil })
    }
}

internal import Glibc
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
internal import NIOWebSocket
internal import SealiteBase
internal import SealiteEndpoints

extension TransportError {
    /// Creates the error for an error of SwiftNIO on a connection to `place`. `frameByteLimit` is the maximum size of a
    /// WebSocket frame, for the text; nil before the upgrade.
    init(_ error: any Error, place: String, frameByteLimit: Int? = nil) {
        switch error {
        case let error as TransportError: self = error
        case is CancellationError: self.init(.cancelled, "connecting to \(place) was cancelled")
        case let error as NIOConnectionError: self.init(connection: error, place: place)
        case let error as IOError: self.init(system: error.errnoCode, place: place)
        case let error as ChannelError: self.init(channel: error, place: place)
        case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError, is NIOSSLCloseTimedOutError:
            self.init(tls: error, place: place)
        case let error as NIOWebSocketError:
            self =
                error == .invalidFrameLength
                ? TransportError(
                    .frameTooLarge,
                    "a WebSocket frame of \(place) exceeds the limit" + (frameByteLimit.map { " of \($0) bytes" } ?? "")
                )
                : TransportError(
                    .protocolViolation,
                    "\(place) sent a WebSocket control frame that is fragmented or longer than 125 bytes")
        case let error as HTTPParserError where error == .invalidEOFState:
            self.init(.lost, "\(place) closed the connection before its HTTP response was complete")
        case let error as HTTPParserError where error == .headerOverflow:
            self.init(.protocolViolation, "\(place) sent an HTTP response with too many or too large headers")
        case let error as HTTPParserError:
            self.init(
                .protocolViolation, "\(place) sent no valid HTTP response (\(error)): check the host and the port")
        default: self.init(.lost, "the connection to \(place) failed: \(type(of: error))")
        }
    }

    /// Creates the error for an error of SwiftNIO in listening at `place`, where a missing address is this machine's.
    init(listening error: any Error, place: String) {
        guard (error as? IOError)?.errnoCode == EADDRNOTAVAIL else {
            self.init(error, place: place)
            return
        }
        self.init(.addressUnavailable, "the local address for \(place) doesn't exist on this machine, or not yet")
    }

    private init(channel error: ChannelError, place: String) {
        switch error {
        case .connectTimeout(let time):
            self.init(.timedOut, "\(place) didn't accept a connection within \(time.nanoseconds / 1_000_000) ms")
        case .ioOnClosedChannel, .alreadyClosed, .outputClosed, .inputClosed, .eof:
            self.init(.lost, "\(place) closed the connection")
        default: self.init(.lost, "the connection to \(place) failed: \(error)")
        }
    }

    private init(connection error: NIOConnectionError, place: String) {
        if let failure = error.connectionErrors.first(where: { !($0.error is ChannelError) })
            ?? error.connectionErrors.first
        {
            self.init(failure.error, place: place)
            return
        }
        // One call of getaddrinfo makes both look-ups, which fail with the same error.
        let host = printable(error.host)
        switch (error.dnsAError ?? error.dnsAAAAError) as? SocketAddressError.UnknownHost {
        case let unknown? where unknown.errorCode == Int(EAI_AGAIN) || unknown.errorCode == Int(EAI_SYSTEM):
            self.init(
                .nameServiceFailed, "the address of \(host) can't be looked up now: the name service (DNS) failed")
        default: self.init(.unknownHost, "no address was found for the host name \(host)")
        }
    }

    private init(system code: Int32, place: String) {
        switch code {
        case ECONNREFUSED:
            self.init(
                .connectionRefused,
                "\(place) refused the connection: no program listens on the port, or a firewall rejects it")
        case ECONNRESET, ECONNABORTED, EPIPE, ENETRESET, ENOTCONN:
            self.init(.lost, "the connection to \(place) was cut")
        case ETIMEDOUT: self.init(.timedOut, "\(place) did not answer in time")
        case ENETDOWN, ENETUNREACH, EHOSTDOWN, EHOSTUNREACH, EADDRNOTAVAIL:
            self.init(.unreachable, "\(place) can't be reached: \(Self.text(of: code))")
        case EADDRINUSE: self.init(.addressUnavailable, "the local address for \(place) is already in use")
        case EACCES: self.init(.addressUnavailable, "the system doesn't permit this program to use \(place)")
        default: self.init(.system(errno: code), "the connection to \(place) failed: \(Self.text(of: code))")
        }
    }

    private static func text(of code: Int32) -> String {
        unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
    }

    /// Creates the error for an error of TLS. BoringSSL names the peer's alert in its text only.
    private init(tls error: any Error, place: String) {
        if case .uncleanShutdown? = error as? NIOSSLError {
            self.init(.lost, "the TLS connection to \(place) was cut: it ended without TLS's closing message")
            return
        }
        let text = "\(error)"
        func has(_ words: String...) -> Bool { words.contains { text.contains($0) } }
        if has("CERTIFICATE_REQUIRED", "PEER_DID_NOT_RETURN_A_CERTIFICATE") {
            self.init(.clientCertificateRequired, "\(place) wants a client certificate, and none was given")
        } else if has(
            "ALERT_BAD_CERTIFICATE", "ALERT_UNSUPPORTED_CERTIFICATE", "ALERT_CERTIFICATE_REVOKED",
            "ALERT_CERTIFICATE_EXPIRED", "ALERT_CERTIFICATE_UNKNOWN", "ALERT_UNKNOWN_CA", "ALERT_ACCESS_DENIED")
        {
            self.init(.clientCertificateRejected, "\(place) refuses the client certificate")
        } else if has("EOF during handshake", "syscallError") {
            self.init(.lost, "\(place) closed the connection during the TLS handshake")
        } else if has("WRONG_VERSION_NUMBER", "HTTP_REQUEST") {
            self.init(.tlsFailed, "\(place) does not speak TLS")
        } else if has("UNSUPPORTED_PROTOCOL", "ALERT_PROTOCOL_VERSION") {
            self.init(
                .tlsFailed, "\(place) and this side have no version of TLS in common: this side requires 1.2 or later")
        } else {
            self.init(.tlsFailed, "TLS with \(place) failed\(Self.alertName(in: text))")
        }
    }

    /// Returns a colon, a space and the name of the alert or error in BoringSSL's text, which otherwise names source
    /// files; empty if the text has none.
    private static func alertName(in text: String) -> String {
        guard let start = text.firstRange(of: "OPENSSL_internal:")?.upperBound else { return "" }
        let name = text[start...].prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
        return name.isEmpty ? "" : ": \(name)"
    }
}

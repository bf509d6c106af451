internal import SealiteCrypto

/// The headers `Sec-WebSocket-Key` of a request to upgrade to WebSocket (RFC 6455 §4) and `Sec-WebSocket-Accept` of the
/// response, which proves the receipt of the key.
enum UpgradeKey {
    /// Returns the value of `Sec-WebSocket-Key` for a new handshake.
    static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        return Base64.encode((0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }

    /// Returns the value of `Sec-WebSocket-Accept` for a key (RFC 6455 §4.2.2).
    static func acceptance(of key: String) -> String {
        let text = key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        // The standard's SHA-1 proves that the server supports WebSocket; it authenticates nothing. If the digest
        // fails, no response matches.
        guard let digest = try? SHA1.digest(of: Array(text.utf8)) else { return "" }
        return Base64.encode(digest)
    }
}

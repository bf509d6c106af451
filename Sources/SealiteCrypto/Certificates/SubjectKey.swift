/// Finds the public key of a certificate by its place in the DER form (RFC 5280 §4.1), without parsing the rest, which
/// takes OpenSSL far longer. The certificate may be anybody's bytes.
package enum SubjectKey {
    private static let sequence: UInt8 = 0x30
    private static let integer: UInt8 = 0x02
    private static let version: UInt8 = 0xa0

    /// Returns the SHA-256 digest of a certificate's SubjectPublicKeyInfo, 32 bytes; nil if the elements before it, or
    /// those around it, aren't those of a certificate in DER.
    package static func digest(of certificate: [UInt8]) -> [UInt8]? {
        let bytes = certificate[...]
        guard let whole = element(bytes), whole.tag == sequence, whole.end == bytes.endIndex,
            let signed = element(whole.content), signed.tag == sequence, var next = element(signed.content)
        else { return nil }
        var rest = signed.content
        if next.tag == version {
            rest = rest[next.end...]
            guard let serial = element(rest) else { return nil }
            next = serial
        }
        guard next.tag == integer else { return nil }
        // The signature's algorithm, the issuer, the validity and the subject; then the key.
        for _ in 0..<5 {
            rest = rest[next.end...]
            guard let following = element(rest), following.tag == sequence else { return nil }
            next = following
        }
        return try? SHA256.digest(of: Array(rest[..<next.end]))
    }

    /// The element of DER that `bytes` begin with; nil if they aren't long enough for it, or its length has another form
    /// than DER's, or takes more than three bytes.
    private static func element(_ bytes: ArraySlice<UInt8>) -> (tag: UInt8, content: ArraySlice<UInt8>, end: Int)? {
        var rest = bytes
        guard let tag = rest.popFirst(), tag & 0x1f != 0x1f, let first = rest.popFirst() else { return nil }
        var count = Int(first)
        if first >= 0x80 {
            let size = Int(first & 0x7f)
            guard (1...3).contains(size), rest.count >= size else { return nil }
            count = rest.prefix(size).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(size)
            guard count >= 0x80, count >> (8 * (size - 1)) > 0 else { return nil }
        }
        guard count <= rest.count else { return nil }
        let content = rest.prefix(count)
        return (tag, content, content.endIndex)
    }
}

import FoundationEssentials
import SealiteCrypto

@testable import SealiteAuthentication

/// The value of a `Set-Cookie` header, and the date in it.
final class CookiesFuzz: FuzzTarget {
    private static let now = Date(timeIntervalSince1970: 1_795_000_000)
    /// Seconds of the years from 1601 to 9999, which dates of cookies have.
    private static let seconds = -11_644_473_600...253_402_300_799 as ClosedRange<Int64>

    init() throws {}

    func run(_ input: [UInt8]) throws(BrokenProperty) {
        try checkCookie(input)
        let text = String(decoding: input, as: UTF8.self)
        guard let seconds = CookieDate.seconds(text) else { return }
        try BrokenProperty.unless(Self.seconds.contains(seconds), "a date is read as \(seconds)")
        guard input.allSatisfy({ $0 < 0x80 }) else { return }
        for other in [text.uppercased(), text.lowercased(), "(\(text))"] where other.utf8.count <= input.count + 2 {
            try BrokenProperty.unless(
                CookieDate.seconds(other) == seconds, "a date depends on the case of letters or on what is around it")
        }
    }

    private func checkCookie(_ input: [UInt8]) throws(BrokenProperty) {
        guard let cookie = SetCookie(SecretBytes(copying: input), now: Self.now) else { return }
        let value = unsafe cookie.value.withUnsafeBytes { unsafe Array($0) }
        let separators = Array(";".utf8)
        try BrokenProperty.unless(
            !cookie.name.isEmpty && !cookie.name.utf8.contains { separators.contains($0) || $0 == UInt8(ascii: "=") },
            "a cookie has the name \"\(cookie.name)\"")
        try BrokenProperty.unless(
            !value.contains(UInt8(ascii: ";")) && value.count < input.count, "a cookie's value has a semicolon in it")
        if let end = cookie.expires {
            try BrokenProperty.unless(
                end == .distantPast || Self.seconds.contains(Int64(end.timeIntervalSince1970)),
                "a cookie ends at \(end)")
        }
        // The pair alone, as a client sends it back, is the same cookie without an end. Quotes were taken off once.
        let isQuoted = value.first == UInt8(ascii: "\"") && value.last == UInt8(ascii: "\"")
        guard !isQuoted, value == Self.trimmed(value) else { return }
        let pair = SetCookie(SecretBytes(copying: Array("\(cookie.name)=".utf8) + value), now: Self.now)
        guard let pair else { throw BrokenProperty("a cookie can't be read from its own pair") }
        try BrokenProperty.unless(
            pair.name == cookie.name && pair.value.isEqual(to: cookie.value) && pair.expires == nil,
            "a cookie's own pair reads as another cookie")
    }

    private static func trimmed(_ value: [UInt8]) -> [UInt8] {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
        return Array(value.drop(while: isSpace).reversed().drop(while: isSpace).reversed())
    }

    /// First inputs: cookies as servers send them, and dates in every form.
    static let seeds: [[UInt8]] = [
        "SyncGatewaySession=2c9cd57fb925d4356d3080cd8601fc1c8269d98b; Path=/db; Expires=Sun, 22 Nov 2026 02:25:26 GMT",
        "  MySession = \"a=b==\" ;Secure; HttpOnly ;SameSite=None;  MAX-AGE=60", "s=; Max-Age=0", "s=1; Max-Age=-1",
        "s=1; Expires=Sun, 22 Nov 2026 02:25:26 GMT; Max-Age=9223372036854775807", "Sun, 22-Nov-2026 02:25:26 GMT",
        "Sunday, 22-Nov-26 02:25:26 GMT", "Sun Nov 22 02:25:26 2026", "22 nov 2026 2:25:26", "1 jan 1601 00:00:00",
        "31 Dec 9999 23:59:59", "29 feb 2025 23:59:60", "é=ü; Expires=é", "=x", "lb=1;;;;=;a=b",
    ].map { Array($0.utf8) }
}

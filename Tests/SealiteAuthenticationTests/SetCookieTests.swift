import Foundation
import SealiteTestSupport
import Testing

@testable import SealiteAuthentication

@Suite("a cookie that a server sets")
struct SetCookieTests {
    private let now = Date(timeIntervalSince1970: 1_795_000_000)

    private func read(_ header: String) -> (name: String, value: String, end: Double?)? {
        guard let cookie = SetCookie(secret(header), now: now) else { return nil }
        return (cookie.name, text(cookie.value), cookie.expires?.timeIntervalSince1970)
    }

    @Test("Sync Gateway's is read as it was recorded")
    func recorded() throws {
        let cookie = try #require(
            read(
                "SyncGatewaySession=2c9cd57fb925d4356d3080cd8601fc1c8269d98b; Path=/db; Expires=Sun, 22 Nov 2026 02:25:26 GMT"
            ))
        #expect(cookie.name == "SyncGatewaySession")
        #expect(cookie.value == "2c9cd57fb925d4356d3080cd8601fc1c8269d98b")
        #expect(cookie.end == 1_795_314_326)
    }

    @Test("names keep their case, values their equals signs, attributes need no value")
    func details() throws {
        let cookie = try #require(read("  MySession = \"a=b==\" ;Secure; HttpOnly ;SameSite=None;  MAX-AGE=60"))
        #expect(cookie.name == "MySession" && cookie.value == "a=b==")
        #expect(cookie.end == 1_795_000_060)
    }

    @Test("Max-Age wins over Expires, wherever it stands")
    func maximumAge() {
        #expect(read("a=b; Max-Age=5; Expires=Sun, 22 Nov 2026 02:25:26 GMT")?.end == 1_795_000_005)
        #expect(read("a=b; Expires=Sun, 22 Nov 2026 02:25:26 GMT; Max-Age=5")?.end == 1_795_000_005)
    }

    @Test(
        "every form of a date is read",
        arguments: [
            "Sun, 22 Nov 2026 02:25:26 GMT", "Sun, 22-Nov-2026 02:25:26 GMT", "Sunday, 22-Nov-26 02:25:26 GMT",
            "Sun Nov 22 02:25:26 2026", "22 nov 2026 2:25:26",
        ])
    func dates(text: String) {
        #expect(CookieDate.seconds(text) == 1_795_314_326)
    }

    @Test("days are counted as the calendar counts them")
    func calendar() {
        #expect(CookieDate.seconds("Thu, 01 Jan 1970 00:00:00 GMT") == 0)
        #expect(CookieDate.seconds("Thu, 29 Feb 2024 12:00:00 GMT") == 1_709_208_000)
        #expect(CookieDate.seconds("Fri, 31 Dec 9999 23:59:59 GMT") == 253_402_300_799)
    }

    @Test(
        "what is no date is none",
        arguments: ["", "soon", "32 Nov 2026 02:25:26", "22 Nov 1600 02:25:26", "22 Nov 2026 24:00:00", "22 Nov 2026"])
    func noDates(text: String) {
        #expect(CookieDate.seconds(text) == nil)
    }

    @Test(
        "what is no cookie is none",
        arguments: ["", "=b", "novalue", "a=b; Max-Age=soon", "a=b; Expires=never", ";;;", "a\u{0}"])
    func noCookies(header: String) {
        #expect(read(header) == nil)
    }

    @Test("huge headers are not looked at")
    func huge() {
        #expect(read("a=" + String(repeating: "b", count: 9000)) == nil)
        #expect(read("a=b" + String(repeating: ";", count: 1000)) == nil)
    }

    @Test("an empty value and an end in the past take a cookie back")
    func removal() throws {
        for header in ["S=; Path=/db", "S=a; Max-Age=0", "S=a; Expires=Thu, 01 Jan 1970 00:00:00 GMT"] {
            let cookie = SetCookie(secret(header), now: now)
            #expect(cookie?.isRemoval(at: now) == true, "\(header)")
        }
    }

    @Test("any bytes are read without a crash")
    func anyBytes() {
        var generator = SeededRandom()
        let alphabet = Array("ab=;\" ,Max-Age=1Expires:09GMTé\u{0}".utf8)
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
                alphabet[Int.random(in: 0..<alphabet.count, using: &generator)]
            }
            if let cookie = SetCookie(secret(String(decoding: bytes, as: UTF8.self)), now: now) {
                #expect(!cookie.name.isEmpty)
            }
        }
    }
}

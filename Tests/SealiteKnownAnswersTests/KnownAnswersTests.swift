import Foundation
import SealiteCrypto
import SealiteKnownAnswers
import Testing

@Suite("known answers")
struct KnownAnswersTests {
    /// The cases that each published source has, as the standards and the original files count them.
    static let counts = [
        "AES-256-GCM, seal": 375, "AES-256-GCM, open": 375, "XAES-256-GCM": 2, "XAES-256-GCM, accumulated": 1,
        "HKDF-SHA-256": 3, "HMAC-SHA-256": 7, "HPKE base mode, seal": 257, "HPKE base mode, export": 3,
        "HPKE PSK mode, seal": 257, "HPKE PSK mode, export": 3, "AES-256 key wrap": 400, "scrypt": 4,
        "PBKDF2-HMAC-SHA-256": 2, "PBKDF2-HMAC-SHA-1": 5, "SHA-256": 65, "SHA-512": 129, "SHA-1": 65,
    ]

    @Test("every suite gives every published answer", arguments: KnownAnswers.suites.map(\.name))
    func answers(name: String) throws {
        let suite = try #require(KnownAnswers.suites.first { $0.name == name })
        let result = suite.run()
        #expect(result.failures == [])
        #expect(result.runCount == Self.counts[name])
        #expect(result.passedCount == Self.counts[name])
        #expect(result.isPassed)
        #expect(!result.source.isEmpty)
    }

    @Test("the project's own suites pass", arguments: KnownAnswers.properties.map(\.name))
    func properties(name: String) throws {
        let suite = try #require(KnownAnswers.properties.first { $0.name == name })
        let result = suite.run()
        #expect(result.failures == [])
        #expect(result.isPassed)
    }

    @Test("no suite is missing")
    func suites() {
        #expect(Set(KnownAnswers.suites.map(\.name)) == Set(Self.counts.keys))
        #expect(KnownAnswers.suites.count == Self.counts.count)
    }

    @Test(
        "RFC 6070's 16,777,216 iterations give the published key",
        .enabled(if: ProcessInfo.processInfo.environment["SEALITE_SOAK"] == "1", "takes several seconds"))
    func manyIterations() throws {
        let key = try PBKDF2.deriveKey(
            .sha1, passphrase: SecretBytes(copying: Array("password".utf8)), salt: Array("salt".utf8),
            iterations: 16_777_216, byteCount: 20)
        let hex = unsafe key.withUnsafeBytes { unsafe $0.map { String(format: "%02x", $0) }.joined() }
        #expect(hex == "eefe3d61cd4da4e4e9945b3d6ba2158c2634e984")
    }

    @Test(
        "C2SP's million messages accumulate to the published hash",
        .enabled(if: ProcessInfo.processInfo.environment["SEALITE_SOAK"] == "1", "takes 320 MB and a minute"))
    func millionMessages() throws {
        let digest = try AccumulatedXAES.digest(messages: 1_000_000)
        let hex = digest.map { String(format: "%02x", $0) }.joined()
        #expect(hex == "2163ae1445985a30b60585ee67daa55674df06901b890593e824b8a7c885ab15")
    }

    /// Suites that are quick enough to be run again and again.
    static let quickSuites = KnownAnswers.suites.filter(\.isQuick).map(\.name)

    @Test("a suite that lost a case fails", arguments: quickSuites)
    func shortSuite(name: String) throws {
        let suite = try #require(KnownAnswers.suites.first { $0.name == name })
        var lines = suite.vectors.description.split(separator: "\n")
        lines.removeLast()
        let result = suite.run(on: lines.joined(separator: "\n"))
        #expect(result.runCount == result.expectedCount - 1)
        #expect(result.passedCount == result.runCount)
        #expect(!result.isPassed)
        #expect(!suite.run(on: "").isPassed)
    }

    @Test("a suite with one wrong digit in its last case fails", arguments: quickSuites)
    func wrongAnswer(name: String) throws {
        let suite = try #require(KnownAnswers.suites.first { $0.name == name })
        var text = Array(suite.vectors.description.utf8)
        let last = try #require(text.lastIndex { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "-") && $0 != 0x20 })
        text[last] = text[last] == UInt8(ascii: "0") ? UInt8(ascii: "1") : UInt8(ascii: "0")
        let result = suite.run(on: String(decoding: text, as: UTF8.self))
        #expect(result.runCount == result.expectedCount)
        #expect(result.passedCount == result.expectedCount - 1)
        #expect(result.failures.count == 1)
        #expect(!result.isPassed)
    }
}

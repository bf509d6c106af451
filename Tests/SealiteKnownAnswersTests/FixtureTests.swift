import Foundation
import SealiteKnownAnswers
import Testing

@Suite("vector files")
struct FixtureTests {
    private struct Fixture {
        let suite: String
        let source: String
        let digest: String?
        let count: Int
        let parameters: [String: String]
        let cases: [[String: String]]

        init(_ url: URL) throws {
            let document = try #require(
                JSONSerialization.jsonObject(with: Data(contentsOf: url)) as? [String: Any], "\(url)")
            suite = try #require(document["suite"] as? String)
            source = try #require(document["source"] as? String)
            digest = document["sha256"] as? String
            count = try #require(document["count"] as? Int)
            parameters = try #require(document["parameters"] as? [String: String])
            cases = try #require(document["cases"] as? [[String: Any]]).map { $0.mapValues { "\($0)" } }
        }

        /// The text that is compiled in, as `scripts/embed-vectors.py` has to make it.
        func hasSameContent(as text: String) -> Bool {
            var lines = text.split(separator: "\n").map(String.init)[...]
            guard lines.popFirst() == "source \(source)", lines.popFirst() == "sha256 \(digest ?? "-")" else {
                return false
            }
            func value(_ text: String?) -> String {
                let text = (text ?? "").replacingOccurrences(of: " ", with: "_")
                return text.isEmpty ? "-" : text
            }
            let parameterLines = Set(parameters.map { "= \($0.key) \(value($0.value))" })
            guard Set(lines.prefix(parameters.count)) == parameterLines else { return false }
            lines = lines.dropFirst(parameters.count)
            guard let names = lines.popFirst()?.split(separator: " ").dropFirst().map(String.init),
                Set(names) == Set(cases.flatMap(\.keys)), lines.count == cases.count
            else { return false }
            return zip(cases, lines).allSatisfy { vector, line in
                names.map { value(vector[$0]) }.joined(separator: " ") == line
            }
        }
    }

    private static func fixtures() throws -> [Fixture] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Fixtures/Vectors")
        return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "json" }.map(Fixture.init)
    }

    @Test("the vectors that are compiled in are those of the files, and every file is compiled in")
    func compiledIn() throws {
        let fixtures = try Self.fixtures()
        #expect(Set(fixtures.map(\.suite)) == Set(KnownAnswers.suites.map(\.name)))
        for suite in KnownAnswers.suites {
            let fixture = try #require(fixtures.first { $0.suite == suite.name })
            #expect(fixture.hasSameContent(as: suite.vectors.description), "\(suite.name)")
            #expect(fixture.count == fixture.cases.count)
        }
    }

    @Test("the files hold as many cases as their sources")
    func counts() throws {
        let counts = try Dictionary(uniqueKeysWithValues: Self.fixtures().map { ($0.suite, $0.cases.count) })
        let published = [
            "AES-256-GCM, seal": 375, "AES-256-GCM, open": 375, "XAES-256-GCM": 2, "XAES-256-GCM, accumulated": 2,
            "HKDF-SHA-256": 3, "HMAC-SHA-256": 7, "HPKE base mode, seal": 257, "HPKE base mode, export": 3,
            "HPKE PSK mode, seal": 257, "HPKE PSK mode, export": 3, "AES-256 key wrap": 400,
            "scrypt": 4, "PBKDF2-HMAC-SHA-256": 2, "PBKDF2-HMAC-SHA-1": 6, "SHA-256": 65, "SHA-512": 129, "SHA-1": 65,
        ]
        #expect(counts == published)
    }

    @Test("failures are among NIST's vectors: 191 of 375 that must not open")
    func failures() throws {
        let fixture = try #require(Self.fixtures().first { $0.suite == "AES-256-GCM, open" })
        #expect(fixture.cases.count { $0["expect"] == "authentication failed" } == 191)
        #expect(fixture.cases.count { $0["expect"] == "success" } == 184)
    }

    @Test("files cut from a published file name its SHA-256")
    func digests() throws {
        for fixture in try Self.fixtures() where fixture.source.contains("PyPI") {
            #expect(fixture.digest?.count == 64, "\(fixture.suite)")
        }
    }
}

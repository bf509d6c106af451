import Foundation
import Testing

/// Documentation/Troubleshooting.md beside the tool.
@Suite("what Troubleshooting.md says of errors")
struct TroubleshootingTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    private let page: String

    init() throws {
        page = try String(contentsOf: Self.root.appending(path: "Documentation/Troubleshooting.md"), encoding: .utf8)
    }

    @Test("the exit codes are those of the tool, with its words")
    func exitCodes() throws {
        let known = try Workplace().sealite("help", "exit-codes").out.matches(of: #/(?m)^ *(\d+)  (.*)$/#)
            .map { "| \($0.1) | \($0.2) |" }.filter { !$0.hasPrefix("| 0 |") }
        #expect(known.count >= 15)
        let written = page.matches(of: #/(?m)^\| \d+ \| [^|]* \|/#).map { String($0.0) }
        #expect(written == known)
    }

    @Test(
        "each code of a library's errors is listed, by its name or by its text",
        arguments: [
            "SealiteAuthentication/AuthenticationError", "SealiteCredentials/CredentialError",
            "SealiteCrypto/Certificates/ClientIdentity", "SealiteEndpoints/TransportError",
            "SealiteDatabase/Basics/DatabaseError", "SealiteFile/Errors/SealedFileError",
            "SealiteMobileSync/Events/MobileSyncError", "SealiteReplicator/Replicator/ReplicatorError",
        ])
    func codesOfLibraries(_ path: String) throws {
        let source = try String(
            contentsOf: Self.root.appending(path: "Sources/\(path).swift"), encoding: .utf8)
        let codes = try #require(source.firstMatch(of: #/public enum Code\b(?s:.*?)\n    \}\n/#)).0
        let cases = codes.matches(of: #/(?m)^        case (\w+)(?:\(.*\))?(?: = "([^"]+)")?$/#)
        #expect(cases.count >= 8 && cases.count == codes.matches(of: #/(?m)^        case /#).count)
        let unlisted = cases.filter { found in
            ![found.1, found.2].contains { name in
                name.map { page.contains("`\($0)`") || page.contains("`\($0)(") } ?? false
            }
        }
        #expect(unlisted.map(\.1) == [])
    }

    @Test("each code that the tool itself gives to an error is listed")
    func codes() throws {
        let folder = Self.root.appending(path: "Sources/SealiteTool")
        var codes: Set<String> = []
        for case let file as URL in FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
            ?? .init()
        where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            for found in text.matches(of: #/code: "([a-z-]+)"/#) { codes.insert(String(found.1)) }
        }
        #expect(codes.count >= 40)
        #expect(codes.filter { !page.contains("`\($0)`") }.sorted() == [])
    }
}

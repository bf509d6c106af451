import Foundation
import SealiteTestSupport
import Testing

@testable import SealiteFile

/// What libFuzzer found, or started from, stays true without it.
@Suite("the corpora of the fuzz targets")
struct FuzzCorpusTests {
    private static func corpus(_ name: FuzzTargetName) throws -> [URL] {
        let folder = FuzzStage.folder.appending(path: name.rawValue)
        return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
    }

    @Test("every input keeps its target's properties", arguments: FuzzTargetName.allCases)
    func corpus(name: FuzzTargetName) throws {
        let target = try name.make()
        let files = try Self.corpus(name)
        #expect(files.count >= 5)
        for file in files {
            do {
                try target.run([UInt8](try Data(contentsOf: file)))
            } catch {
                Issue.record("\(file.lastPathComponent): \(error)")
            }
        }
    }

    @Test("a log that reads as what nobody committed is found out")
    func findsForgery() throws {
        let target = try WALFuzz()
        let log = try #require(try FuzzStage("wal").files["-wal"])
        // The seed is fine; a database whose log was exchanged for a key holder's isn't, taken for an outsider's bytes.
        try target.run([0] + log)
        let seeds = target.seeds()
        #expect(seeds.contains { $0.first == 3 })
        #expect(throws: BrokenProperty.self) { try target.run([0] + (try target.forgery())) }
    }
}

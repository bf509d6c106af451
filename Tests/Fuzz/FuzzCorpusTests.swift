import Foundation
import SealiteTestSupport
import Testing

@testable import SealiteFile

/// Runs libFuzzer's findings and seeds as tests.
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

    /// The soak has libFuzzer look where these don't reach (`scripts/fuzz.sh`).
    @Test("inputs changed at random keep their target's properties", arguments: FuzzTargetName.allCases)
    func mutations(name: FuzzTargetName) throws {
        let target = try name.make()
        let corpus = try Self.corpus(name).map { [UInt8](try Data(contentsOf: $0)) }
        var mutator = InputMutator(corpus, seed: TestSeed.run)
        for number in 0..<name.mutationCount {
            let input = mutator.next()
            do {
                try target.run(input)
            } catch {
                Issue.record("input \(number) of seed \(TestSeed.run), \(input.hex): \(error)")
                return
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

extension FuzzTargetName {
    /// The number of changed inputs that takes about a second without optimisation: those of files open a database.
    fileprivate var mutationCount: Int {
        switch self {
        case .header, .page, .wal, .journal: 400
        // Keys are derived from passphrases, and made.
        case .pem, .pkcs12, .x509Names: 600
        default: 2_000
        }
    }
}

import SealiteTestSupport
import Testing

@testable import SealiteFile

/// Runs libFuzzer's findings and seeds as tests.
@Suite("the corpora of the fuzz targets")
struct FuzzCorpusTests {
    @Test("every input keeps its target's properties", arguments: FuzzTargetName.allCases)
    func corpus(name: FuzzTargetName) throws {
        let target = try name.make()
        let inputs = try FuzzInput.all(name)
        #expect(inputs.count >= 5)
        for input in inputs {
            do {
                try target.run(input.bytes)
            } catch {
                Issue.record("\(input.name): \(error)")
            }
        }
    }

    /// The soak has libFuzzer look where these don't reach (`scripts/fuzz.sh`).
    @Test("inputs changed at random keep their target's properties", arguments: FuzzTargetName.allCases)
    func mutations(name: FuzzTargetName) throws {
        let target = try name.make()
        var mutator = InputMutator(try FuzzInput.all(name).map(\.bytes), seed: TestSeed.run)
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
        // Each is opened by several parsers, some of them on a real file.
        case .foreign: 200
        // Keys are derived from passphrases, and made.
        case .pem, .pkcs12, .x509Names: 600
        default: 2_000
        }
    }
}

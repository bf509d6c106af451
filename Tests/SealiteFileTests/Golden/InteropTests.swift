import Foundation
import SealiteFileTestSupport
import Testing

/// The reader in Python shares no code with Sealite. It needs Python's package "cryptography".
@Suite("an independent reader")
struct InteropTests {
    @Test(
        "an independent reader reads every golden file and every vector as recorded",
        arguments: [
            ("check_golden.py", []), ("check_vectors.py", []), ("make_vectors.py", ["--check"]),
        ])
    func script(name: String, arguments: [String]) throws {
        let result = try Command.run("python3", ["\(Golden.root)/Tests/Interop/\(name)"] + arguments)
        #expect(result.status == 0, "\(result.output)\(result.errors)")
        #expect(
            result.output.contains(" 0 failures") || result.output.contains("as stated")
                || result.output.contains("as made"))
    }
}

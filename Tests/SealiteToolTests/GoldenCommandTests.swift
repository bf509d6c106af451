import Foundation
import Testing

/// `Golden/commands.txt` has commands with what they print and their exit codes. To write it anew after a change that is
/// meant: SEALITE_GOLDEN=write, then read the difference.
@Suite("the table of commands")
struct GoldenCommandTests {
    private static let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "Golden/commands.txt"
    ).path

    @Test("each command prints what the table says, and ends with its exit code")
    func table() throws {
        let expected = try String(contentsOfFile: Self.file, encoding: .utf8)
        let commands = expected.split(separator: "\n").filter { $0.hasPrefix("$ ") }.map { String($0.dropFirst(2)) }
        #expect(commands.count >= 60)
        let place = try Workplace()
        let sections = try commands.map { try Self.section($0, in: place) }
        guard ProcessInfo.processInfo.environment["SEALITE_GOLDEN"] != "write" else {
            return try sections.joined(separator: "\n").write(toFile: Self.file, atomically: true, encoding: .utf8)
        }
        let known = expected.components(separatedBy: "\n\n$ ").enumerated().map { $0 == 0 ? $1 : "$ " + $1 }
        for (section, wanted) in zip(sections, known) {
            #expect(section.trimmingCharacters(in: .newlines) == wanted.trimmingCharacters(in: .newlines))
        }
    }

    /// Runs a command in a shell and returns its part of the table: output, errors with a mark, the exit code.
    private static func section(_ command: String, in place: Workplace) throws -> String {
        let path = URL(filePath: Tool.path).deletingLastPathComponent().path
        let run = try place.run(
            ["bash", "-c", command],
            environment: ["PATH": "\(path):/usr/bin:/bin", "HOME": place.path, "COLUMNS": "100"])
        var text = "$ \(command)\n" + run.out
        if !run.out.isEmpty, !run.out.hasSuffix("\n") { text += "\n" }
        for line in run.err.split(separator: "\n") { text += "! \(line)\n" }
        return normalized(text, place) + "[\(run.status)]\n"
    }

    /// Returns the text without what differs from run to run: digests, ids, times and the folder.
    private static func normalized(_ text: String, _ place: Workplace) -> String {
        text.replacing(place.path, with: "FOLDER")
            .replacing(#/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/#, with: "UUID")
            .replacing(#/\b[0-9a-f]{64}\b/#, with: "DIGEST").replacing(#/\b[0-9a-f]{40}\b/#, with: "DIGEST")
            .replacing(#/\b[0-9a-f]{32}\b/#, with: "ID")
            .replacing(#/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/#, with: "TIME")
    }
}

package import Foundation

/// The packs of recorded exchanges in `Fixtures/Protocol`, which `scripts/pack-fixtures.py` writes.
///
/// A recording is named by its pack and its own name, such as `sync-gateway-4.1.1/checkpoint`.
package enum RecordedExchanges {
    package struct Missing: Error {
        package let name: String
    }

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Fixtures/Protocol")

    /// A recording's numbers of BLIP frames and of complete messages.
    package struct Counts: Sendable {
        package let name: String
        package let frames: Int
        package let messages: Int
    }

    /// Every recording named by the index.
    package static let index: [Counts] = {
        guard let index = try? String(contentsOf: folder.appending(path: "index.tsv"), encoding: .utf8) else {
            return []
        }
        return index.split(separator: "\n").dropFirst().compactMap { line in
            let fields = line.split(separator: "\t")
            guard fields.count == 3, let frames = Int(fields[1]), let messages = Int(fields[2]) else { return nil }
            return Counts(name: String(fields[0]), frames: frames, messages: messages)
        }
    }()

    /// The lines of every recording by its name, each pack read once.
    private static let texts: [String: Substring] = {
        var texts: [String: Substring] = [:]
        for pack in Set(index.map { $0.name.split(separator: "/").dropLast().joined(separator: "/") }) {
            guard let text = try? String(contentsOf: folder.appending(path: pack + ".jsonl"), encoding: .utf8) else {
                continue
            }
            // Foundation searches in compiled code; in a text of JSON these signs stand at the beginning of a line only.
            for section in text.components(separatedBy: "{\"recording\": \"").dropFirst() {
                let parts = section.split(separator: "\"}\n", maxSplits: 1, omittingEmptySubsequences: false)
                if parts.count == 2 { texts["\(pack)/\(parts[0])"] = parts[1] }
            }
        }
        return texts
    }()

    /// The frames of a recording, a line of JSON for each.
    package static func lines(_ name: String) throws -> [Data] {
        guard let text = texts[name] else { throw Missing(name: name) }
        return Array(text.utf8).split(separator: UInt8(ascii: "\n")).map { Data($0) }
    }
}

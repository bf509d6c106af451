import Foundation
import SealiteValues
import Testing

/// A file of cases under `Fixtures`, read as it stands there.
struct CaseFile {
    let cases: [MongoDocument]

    init(_ path: String) throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(contentsOf: folder.appending(path: "Fixtures/\(path)"), encoding: .utf8)
        let file = try MongoDocument(extendedJSON: text, wrappers: .lenient)
        guard case .array(let items)? = file["cases"] else { throw CocoaError(.fileReadCorruptFile) }
        cases = items.compactMap { if case .document(let document) = $0 { document } else { nil } }
        #expect(cases.count == items.count)
    }

    /// Runs each case, prints how many of each group passed, and fails for those that didn't.
    ///
    /// - Parameters:
    ///   - group: the name under which a case is counted.
    ///   - exceptions: the cases that are decided otherwise than the file has them.
    ///   - run: returns nil where a case passes, else what is wrong.
    func run(
        group: (MongoDocument) -> String, exceptions: Set<String> = [], _ run: (MongoDocument) -> String?
    ) {
        var counts: [String: (passed: Int, total: Int)] = [:]
        for document in cases {
            let id = document.text("id") ?? "?"
            guard !exceptions.contains(id) else { continue }
            let problem = run(document)
            counts[group(document), default: (0, 0)].total += 1
            if let problem {
                Issue.record("\(id): \(problem)")
            } else {
                counts[group(document), default: (0, 0)].passed += 1
            }
        }
        for (name, count) in counts.sorted(by: { $0.key < $1.key }) {
            print("\(name): \(count.passed) of \(count.total)")
        }
    }
}

extension MongoDocument {
    /// The text of a member; nil where there is none.
    func text(_ key: String) -> String? {
        guard case .string(let text)? = self[key] else { return nil }
        return text
    }

    /// A Boolean value that says whether a member is true.
    func flag(_ key: String) -> Bool { self[key] == .bool(true) }
}

import Foundation
import SealiteValues
import Testing

/// The cases of a file of Fixtures/Models, read as they stand there.
struct ModelCases {
    /// One case: its id, its kind and its members.
    struct Case: Sendable {
        let members: MongoDocument

        var id: String { members.text("id") ?? "?" }
        var kind: String { members.text("kind") ?? "?" }

        subscript(name: String) -> BSON? { members[name] }
    }

    let cases: [Case]

    /// The cases of a file, by its name without ending.
    init(_ name: String) throws {
        let text = try String(contentsOf: Self.folder.appending(path: "\(name).json"), encoding: .utf8)
        let file = try MongoDocument(extendedJSON: text, wrappers: .lenient)
        cases = file.documents("cases").map { Case(members: $0) }
        #expect(!cases.isEmpty)
    }

    /// The folder of the files.
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Fixtures/Models")

    /// Runs the cases of a kind and expects each of them to end without a difference, but those listed with a reason.
    ///
    /// - Parameters:
    ///   - kind: the kind.
    ///   - contradictions: the cases that are decided otherwise, with the reasons.
    ///   - sourceLocation: the place of the call.
    ///   - difference: says how a case ends differently from what it expects; nil where it ends as expected.
    func run(
        _ kind: String, contradictions: [String: String] = [:], sourceLocation: SourceLocation = #_sourceLocation,
        _ difference: (Case) throws -> String?
    ) rethrows {
        let chosen = cases.filter { $0.kind == kind }
        var failed: [String] = []
        for one in chosen {
            let reason = try difference(one)
            if contradictions[one.id] != nil {
                #expect(reason != nil, "\(one.id) passes and needn't be listed", sourceLocation: sourceLocation)
            } else if let reason {
                failed.append("\(one.id): \(reason)")
            }
        }
        let passed = chosen.count - failed.count - contradictions.count
        print("\(kind): \(passed) of \(chosen.count), \(contradictions.count) listed")
        #expect(!chosen.isEmpty, sourceLocation: sourceLocation)
        let listed = failed.joined(separator: "\n")
        #expect(failed.isEmpty, "\(listed)", sourceLocation: sourceLocation)
    }
}

extension MongoDocument {
    /// The text of a member; nil where there is none.
    func text(_ key: String) -> String? { if case .string(let text)? = self[key] { text } else { nil } }

    /// A Boolean value that says whether a member is true.
    func flag(_ key: String) -> Bool { self[key] == .bool(true) }

    /// The document of a member; nil where there is none.
    func document(_ key: String) -> MongoDocument? {
        if case .document(let document)? = self[key] { document } else { nil }
    }

    /// The items of a member; nil where there is no array.
    func array(_ key: String) -> [BSON]? { if case .array(let items)? = self[key] { items } else { nil } }

    /// The documents of a member's array.
    func documents(_ key: String) -> [MongoDocument] {
        (array(key) ?? []).compactMap { if case .document(let document) = $0 { document } else { nil } }
    }

    /// The texts of a member's array.
    func texts(_ key: String) -> [String] {
        (array(key) ?? []).compactMap { if case .string(let text) = $0 { text } else { nil } }
    }
}

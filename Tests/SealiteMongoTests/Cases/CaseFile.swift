import Foundation
import SealiteValues
import Testing

/// A file of cases in Fixtures/Mongo: cases by their ids, and the documents that several of them share.
struct CaseFile {
    /// One case: its id and its members.
    struct Case {
        let id: String
        let members: MongoDocument

        subscript(name: String) -> BSON? { members[name] }

        /// True where the case expects a refusal.
        var expectsError: Bool { members["error"] != nil }
        /// True where the order of the expected documents doesn't matter.
        var isUnordered: Bool { members["unordered"] == .bool(true) }
    }

    let cases: [Case]
    /// The beginnings of lines that hold a case which isn't Extended JSON.
    let unreadable: [String]
    private let datasets: MongoDocument

    init(_ name: String) throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Fixtures/Mongo")
        let text = try String(contentsOf: folder.appending(path: "\(name).json"), encoding: .utf8)
        (datasets, cases, unreadable) = try Self.read(text)
    }

    /// The parts of a file, which has one case a line and one dataset a line, so that one that doesn't read as Extended JSON is none of the others' matter.
    private static func read(_ text: String) throws -> (MongoDocument, [Case], [String]) {
        var (datasets, cases, unreadable) = (MongoDocument(), [Case](), [String]())
        for line in text.split(separator: "\n") {
            let body = line.drop { $0 == " " }.last == "," ? line.dropLast() : line
            if line.hasPrefix("  \"") {
                for member in try MongoDocument(extendedJSON: "{\(body)}") { datasets.append(member.key, member.value) }
            } else if line.hasPrefix("  {") {
                guard let members = try? MongoDocument(extendedJSON: String(body)) else {
                    unreadable.append(String(body.prefix { $0 != "," }))
                    continue
                }
                cases.append(Case(id: members["id"]?.asString ?? "", members: members))
            }
        }
        return (datasets, cases, unreadable)
    }

    /// The documents of a case: its own, or those of its dataset.
    func documents(of one: Case) -> [MongoDocument] {
        let documents = one["documents"] ?? one["dataset"]?.asString.flatMap { datasets[$0] }
        return (documents?.asArray ?? []).compactMap(\.asDocument)
    }

    /// The documents of a dataset by its name.
    func dataset(_ name: String) -> [MongoDocument] { (datasets[name]?.asArray ?? []).compactMap(\.asDocument) }

    /// Runs every case and expects each of them to end without a difference, but those listed with a reason.
    ///
    /// - Parameters:
    ///   - contradictions: the cases that are decided otherwise, with the reasons.
    ///   - sourceLocation: the place of the call.
    ///   - difference: says how a case ends differently from what it expects; nil where it ends as expected.
    func run(
        contradictions: [String: String] = [:], sourceLocation: SourceLocation = #_sourceLocation,
        _ difference: (Case) -> String?
    ) {
        var (passed, refused, failed) = (0, 0, [String]())
        for one in cases {
            let reason = difference(one)
            if contradictions[one.id] != nil {
                #expect(reason != nil, "\(one.id) passes and needn't be listed", sourceLocation: sourceLocation)
            } else if let reason {
                failed.append("\(one.id): \(reason)")
            } else if one.expectsError {
                refused += 1
            } else {
                passed += 1
            }
        }
        print("\(passed) values, \(refused) refusals, \(contradictions.count) contradictions, \(failed.count) failures")
        let listed = failed.joined(separator: "\n")
        #expect(failed.isEmpty, "\(listed)", sourceLocation: sourceLocation)
    }
}

extension BSON {
    var asDocument: MongoDocument? { if case .document(let document) = self { document } else { nil } }
    var asArray: [BSON]? { if case .array(let items) = self { items } else { nil } }
    var asString: String? { if case .string(let text) = self { text } else { nil } }
    var asBool: Bool? { if case .bool(let value) = self { value } else { nil } }
    var asInt: Int? {
        switch self {
        case .int32(let number): Int(number)
        case .int64(let number): Int(number)
        case .double(let number): Int(exactly: number)
        default: nil
        }
    }
}

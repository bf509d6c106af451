import Foundation
import SealiteDatabase

/// A case of `Fixtures/Queries`, read from the file itself.
struct QueryCase: Sendable, CustomStringConvertible {
    let file: String
    let members: DictionaryObject

    var id: String { members.string(forKey: "id") ?? "" }
    var query: String? { members.string(forKey: "query") }
    var dataset: String? { members.string(forKey: "dataset") }
    var parameters: DictionaryObject? { members.dictionary(forKey: "params") }
    var indexes: [DictionaryObject] { members.array(forKey: "indexes")?.compactMap(\.dictionary) ?? [] }
    var expected: DictionaryObject? { members.dictionary(forKey: "expect") }
    var expectsError: Bool { members.contains(key: "error") }
    var zone: String? { members.string(forKey: "tz") }
    var description: String { id }
}

/// A file of cases, and the documents that they are about.
struct QueryCaseFile: Sendable {
    let name: String
    let cases: [QueryCase]
    let datasets: DictionaryObject
    let deleted: DictionaryObject

    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The names of the files whose cases have queries and datasets, in order.
    static func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(
            at: folder.appending(path: "Fixtures/Queries"), includingPropertiesForKeys: nil
        ).filter { $0.pathExtension == "json" }.map { $0.deletingPathExtension().lastPathComponent }
            .filter { $0 != "parser" }.sorted()
    }

    init(_ name: String) throws {
        let text = try String(
            contentsOf: Self.folder.appending(path: "Fixtures/Queries/\(name).json"), encoding: .utf8)
        let file = try DictionaryObject(json: text)
        self.name = name
        cases = (file.array(forKey: "cases") ?? []).compactMap(\.dictionary).map { QueryCase(file: name, members: $0) }
        datasets = file.dictionary(forKey: "datasets") ?? DictionaryObject()
        deleted = file.dictionary(forKey: "datasets_deleted") ?? DictionaryObject()
    }
}

/// The rows of `Fixtures/Queries/differences.md` about what queries give: the class of each case by its number. Texts that only Sealite reads are among them.
enum ResultDifferences {
    static func listed() throws -> [String: String] {
        let file = QueryCaseFile.folder.appending(path: "Fixtures/Queries/differences.md")
        let rows = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map {
            $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
        let results = rows.filter {
            $0.count == 4 && ($0[1] == "result" || ($0[1] == "syntax" && $0[2] == "extension"))
        }
        return Dictionary(uniqueKeysWithValues: results.map { ($0[0], $0[2]) })
    }
}

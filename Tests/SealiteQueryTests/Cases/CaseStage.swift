import Foundation
import SealiteDatabase
import Testing

@testable import SealiteQuery

/// Runs the cases of a file on databases that hold the file's documents.
final class CaseStage {
    private let file: QueryCaseFile
    private var databases: [String: TestDatabase] = [:]

    init(_ file: QueryCaseFile) { self.file = file }

    /// The way in which a case ends differently from what it expects; nil where it ends as expected.
    func difference(_ one: QueryCase) -> String? {
        let text = one.query ?? ""
        do {
            let test = try database(one)
            let query = try test.database.createQuery(text)
            if let parameters = one.parameters {
                let values = Parameters()
                for (name, value) in parameters.entries { values.setValue(value, forName: name) }
                query.parameters = values
            }
            let results = try query.execute()
            var rows: [Result] = []
            while let row = try results.nextResult() { rows.append(row) }
            if one.expectsError { return "\(text) runs" }
            let reason = compare(results.columnNames, rows, with: one.expected ?? DictionaryObject())
            return reason.map { "\(text) \($0)" }
        } catch {
            return one.expectsError ? nil : "\(text) fails: \(error)"
        }
    }

    /// The indexes that are made of those which a plan asks for.
    enum Suggestions: String, CaseIterable {
        case all, arrays

        func hasPart(_ suggestion: IndexSuggestion) -> Bool { self == .all || suggestion.path != nil }
    }

    /// The way in which the rows of a case change with indexes that its plan asks for; nil where they don't. `used` is counted up where an index
    /// is used.
    func indexDifference(_ one: QueryCase, _ suggestions: Suggestions, used: inout Int) throws -> String? {
        guard !one.expectsError, one.parameters == nil, let text = one.query else { return nil }
        let test = try database(one, suggestions)
        guard let query = try? test.database.createQuery(text) else { return nil }
        let before = try query.execute().allResults().map(\.values)
        for suggestion in (try query.explain() as QueryPlan).suggestions where suggestions.hasPart(suggestion) {
            let collection = try #require(
                try test.database.collection(name: suggestion.collectionName, scope: suggestion.scopeName))
            let name = ([suggestion.path].compactMap { $0 } + suggestion.expressions).joined(separator: ", ")
            do {
                try collection.createIndex(
                    withName: name.filter { $0 != "\"" }, config: suggestion.configuration)
            } catch let error as DatabaseError where error.code == .invalidQuery {
                return nil
            }
        }
        let plan: QueryPlan = try query.explain()
        if plan.usesIndex { used += 1 }
        let after = try query.execute().allResults().map(\.values)
        let isLimited = text.uppercased().contains("LIMIT")
        let isSame = isLimited ? before.count == after.count : Self.isPermutation(before, after)
        return isSame ? nil : "\(text) gives \(after.count) rows with an index, not \(before.count); \(plan.sql)"
    }

    private static func isPermutation(_ left: [[QueryValue]], _ right: [[QueryValue]]) -> Bool {
        func sorted(_ rows: [[QueryValue]]) -> [String] { rows.map { "\($0)" }.sorted() }
        return sorted(left) == sorted(right)
    }

    private func database(_ one: QueryCase, _ suggestions: Suggestions? = nil) throws -> TestDatabase {
        let indexes = one.indexes.filter { ["value", "array", "fulltext"].contains($0.string(forKey: "type")) }
        let name = one.dataset ?? ""
        let key = "\(name) \(suggestions?.rawValue ?? "none") \(try indexes.map { try $0.toJSON() })"
        if let found = databases[key] { return found }
        let made = try TestDatabase(name: "casesdb")
        let documents = file.datasets.dictionary(forKey: name) ?? DictionaryObject()
        if documents.keys.contains(where: { $0.hasPrefix("_default.") }) {
            for (full, content) in documents.entries {
                let parts = full.split(separator: ".").map(String.init)
                let collection = try made.database.createCollection(name: parts[1], scope: parts[0])
                try made.save(content.dictionary ?? DictionaryObject(), in: collection)
            }
        } else {
            let deleted = file.deleted.array(forKey: name)?.compactMap(\.string) ?? []
            try made.save(documents, deleted: deleted)
        }
        for index in indexes {
            let expressions = index.array(forKey: "expressions")?.compactMap(\.string) ?? []
            let array = index.string(forKey: "path").map {
                ArrayIndexConfiguration(path: $0, expressions: expressions.isEmpty ? nil : expressions)
            }
            try made.collection.createIndex(
                withName: index.string(forKey: "name") ?? "index",
                config: Self.fullText(index, expressions) ?? array
                    ?? ValueIndexConfiguration(expressions, where: index.string(forKey: "where")))
        }
        databases[key] = made
        return made
    }

    private static func fullText(_ index: DictionaryObject, _ expressions: [String]) -> (any IndexConfiguration)? {
        guard index.string(forKey: "type") == "fulltext" else { return nil }
        var config = FullTextIndexConfiguration(
            expressions, where: index.string(forKey: "where"), ignoreAccents: index.boolean(forKey: "ignoreAccents"),
            language: index.string(forKey: "language"))
        config.stemming = !index.boolean(forKey: "disableStemming")
        if let words = index.string(forKey: "stopWords") {
            config.stopWords = .words(words.split { $0 == " " || $0 == "," }.map(String.init))
        }
        return config
    }

    // MARK: - Comparing

    private func compare(_ columns: [String], _ rows: [Result], with expected: DictionaryObject) -> String? {
        if let names = expected.array(forKey: "columns")?.compactMap(\.string), names != columns {
            return "has the columns \(columns), not \(names)"
        }
        if expected.contains(key: "rowCount"), rows.count != expected.int(forKey: "rowCount") {
            return "gives \(rows.count) rows, not \(expected.int(forKey: "rowCount"))"
        }
        guard let wanted = expected.array(forKey: "rows") else { return nil }
        let tolerance = expected.double(forKey: "tolerance")
        let given = rows.map { row in row.values.map { $0.value(row.database) } }
        let asked = wanted.map { row in
            (row.array ?? ArrayObject()).map { Self.isMissing($0) ? Value?.none : .some($0) }
        }
        let isOrdered = !expected.contains(key: "ordered") || expected.boolean(forKey: "ordered")
        func areSame(_ left: [Value?], _ right: [Value?]) -> Bool {
            left.count == right.count && zip(left, right).allSatisfy { Self.areSame($0, $1, tolerance) }
        }
        var isEqual = given.count == asked.count
        if isEqual, isOrdered {
            isEqual = zip(given, asked).allSatisfy(areSame)
        } else if isEqual {
            var left = asked
            for row in given {
                guard let index = left.firstIndex(where: { areSame(row, $0) }) else { isEqual = false; break }
                left.remove(at: index)
            }
        }
        return isEqual ? nil : "gives \(Self.text(given)), not \(Self.text(asked))"
    }

    private static func isMissing(_ value: Value) -> Bool { value["$missing"] == .boolean(true) }

    private static func areSame(_ left: Value?, _ right: Value?, _ tolerance: Double) -> Bool {
        switch (left, right) {
        case (nil, nil): return true
        case (.number(let a)?, .number(let b)?):
            if a == b { return true }
            let (a, b) = (a.doubleValue, b.doubleValue)
            return abs(a - b) <= max(tolerance, 1e-12 * max(abs(a), abs(b)))
        case (.array(let a)?, .array(let b)?):
            return a.count == b.count && zip(a, b).allSatisfy { areSame($0, $1, tolerance) }
        case (.dictionary(let a)?, .dictionary(let b)?):
            return a.count == b.count && a.entries.allSatisfy { areSame($0.value, b.value(forKey: $0.key), tolerance) }
        case (.blob(let a)?, .dictionary): return areSame(.dictionary(a.properties), right, tolerance)
        default: return left == right
        }
    }

    private static func text(_ rows: [[Value?]]) -> String {
        let text = rows.prefix(12).map { row in
            "[" + row.map { $0.map { "\(DictionaryObject([("v", $0)]).text)" } ?? "MISSING" }.joined(separator: ", ")
                + "]"
        }.joined(separator: " ")
        return rows.count > 12 ? text + " …" : text
    }
}

extension IndexSuggestion {
    /// The definition of the index.
    fileprivate var configuration: any IndexConfiguration {
        guard let path else { return ValueIndexConfiguration(expressions) }
        return ArrayIndexConfiguration(path: path, expressions: expressions.isEmpty ? nil : expressions)
    }
}

extension QueryPlan {
    fileprivate var usesIndex: Bool {
        func uses(_ steps: [Step]) -> Bool { steps.contains { $0.kind == .index || uses($0.steps) } }
        return uses(steps)
    }
}

extension DictionaryObject {
    /// The JSON text without the braces and the name of its one member.
    fileprivate var text: String { String(((try? toJSON()) ?? "").dropFirst(5).dropLast()) }
}

internal import SealiteJSON

/// The path of member names from a document's body to its vector, for indexes that are defined without SQL++.
///
/// An index over a path has the same SQL whether it is defined here or in SQL++, so that searches of both kinds find it.
package struct VectorPath: Sendable, Hashable {
    /// The maximum number of names, which are arguments of one SQL function.
    package static let maximumCount = 100

    private static let beginning = "query_value(body"

    /// The names from the outermost to the innermost, at least one.
    package let names: [String]

    package init(names: [String]) { self.names = names }

    /// The names joined by dots.
    package var text: String { names.joined(separator: ".") }

    /// The SQL of the value at the path, over the columns of a document's row.
    package var sql: String { "\(Self.beginning)\(names.map { ", \($0.quoted("'"))" }.joined()))" }

    /// Creates the path that the SQL of an index follows; nil if the SQL isn't that of a path of names.
    package init?(sql: String) {
        guard sql.hasPrefix(Self.beginning) else { return nil }
        // Between quotation marks there are a part of a name and something else in turn: nothing between the two marks that
        // stand for one in a name.
        let parts = sql.utf8.dropFirst(Self.beginning.utf8.count)
            .split(separator: UInt8(ascii: "'"), omittingEmptySubsequences: false)
        var (names, name) = ([String](), "")
        for (index, part) in parts.enumerated().dropFirst() {
            if index % 2 == 1 {
                name += String(decoding: part, as: UTF8.self)
            } else if part.isEmpty {
                name += "'"
            } else {
                names.append(name)
                name = ""
            }
        }
        self.names = names
        guard !names.isEmpty, ExactText.areSame(self.sql, sql) else { return nil }
    }

    /// The path in SQL++, as the source of an index.
    package var source: IndexSource {
        IndexSource(expressions: [names.map { $0.quoted("`") }.joined(separator: ".")])
    }
}

internal import SealiteDatabase
internal import SealiteQueryLanguage

extension Expression {
    /// Returns a reference to the full-text index with a name, for the functions of ``FullTextFunction``.
    public static func fullTextIndex(_ name: String) -> FullTextIndexExpression {
        FullTextIndexExpression(names: [name])
    }
}

/// Factory methods of the query builder for calls of the functions of full-text search.
public enum FullTextFunction {
    /// Returns a condition that a document matches a search text, which is in the syntax of MATCH.
    public static func match(
        _ index: FullTextIndexExpression, query: String
    ) -> Expression { match(index, query: Expression.string(query)) }

    /// Returns a condition that a document matches the search text that an expression has as its value, for example a
    /// parameter.
    public static func match(_ index: FullTextIndexExpression, query: Expression) -> Expression {
        made(index, [query]) { .match(index: $0, query: $1[0], .none) }
    }

    /// Returns an expression for the relevance of a document to the search text of `match(_:query:)` on the index;
    /// better matches have greater values. Each weight multiplies the hits in one column of the index, in the order of
    /// the columns; the default is 1.
    /// The query must have this condition on the index, in WHERE or ON; the result is MISSING for a row that doesn't
    /// fulfil it.
    public static func rank(_ index: FullTextIndexExpression, weights: [Double] = []) -> Expression {
        made(index, weights.map { Expression.double($0) }) { .rank(index: $0, weights: $1, .none) }
    }

    /// Returns an expression for an excerpt of at most `words` words around the best hits of `match(_:query:)`, each of
    /// which is enclosed in `before` and `after`; `ellipsis` stands for omitted text.
    /// The query must have this condition on the index, in WHERE or ON; the result is MISSING for a row that doesn't
    /// fulfil it.
    public static func snippet(
        _ index: FullTextIndexExpression, before: String = "<b>", after: String = "</b>",
        ellipsis: String = "…", words: Int = 16
    ) -> Expression {
        call("SNIPPET", index, Expression.int(-1), text(before), text(after), text(ellipsis), Expression.int(words))
    }

    /// Returns an expression for the text of a column of the index, counted from 0, with the hits of `match(_:query:)`
    /// enclosed in `before` and `after`.
    /// The query must have this condition on the index, in WHERE or ON; the result is MISSING for a row that doesn't
    /// fulfil it.
    public static func highlight(
        _ index: FullTextIndexExpression, column: Int = 0, before: String = "<b>", after: String = "</b>"
    ) -> Expression {
        call("HIGHLIGHT", index, Expression.int(column), text(before), text(after))
    }

    /// Returns an expression for the hits of `match(_:query:)` in a document as an array, which
    /// ``Result/fullTextHits(at:)`` reads.
    /// The query must have this condition on the index, in WHERE or ON; the result is MISSING for a row that doesn't
    /// fulfil it.
    public static func hits(_ index: FullTextIndexExpression) -> Expression { call("HITS", index) }

    private static func text(_ text: String) -> Expression { Expression.string(text) }

    /// Returns the expression that a function makes from the names of a reference to an index and from operands.
    private static func made(
        _ index: FullTextIndexExpression, _ operands: [Expression],
        _ make: ([String], [Tree.Expression]) -> Tree.Expression
    ) -> Expression {
        Expression(operands) { make(index.names, $0) }
    }

    private static func call(
        _ name: String, _ index: FullTextIndexExpression, _ arguments: Expression...
    ) -> Expression {
        made(index, arguments) { names, trees in
            assert(!names.isEmpty, "a reference to an index has its name")
            let path = Tree.Path(names[0], names.dropFirst().map { .name($0) })
            return .call(FunctionCall(name, [.path(path)] + trees))
        }
    }
}

extension Result {
    /// Returns the full-text hits in the result's column at a position, from 0, that was selected as `HITS(index)`;
    /// empty for a column with any other value.
    public func fullTextHits(at index: Int) -> [FullTextHit] {
        (array(at: index) ?? ArrayObject()).compactMap { hit in
            guard let hit = hit.dictionary, let column = hit.string(forKey: "column") else { return nil }
            let (offset, length) = (hit.int(forKey: "offset"), hit.int(forKey: "length"))
            guard offset >= 0, length >= 0 else { return nil }
            return FullTextHit(column: column, term: hit.int(forKey: "term"), range: offset..<(offset + length))
        }
    }
}

/// A reference to a full-text index in the query builder.
public struct FullTextIndexExpression: Sendable {
    let names: [String]

    /// Returns the reference to the index with this name of the data source with an alias, for queries with several
    /// sources.
    public func from(_ alias: String) -> FullTextIndexExpression {
        FullTextIndexExpression(names: [alias] + names.suffix(1))
    }
}

/// A hit of a search text in a document: the place of a word or phrase that matches.
public struct FullTextHit: Sendable, Equatable {
    /// The name of the full-text index's column in which the hit is.
    public let column: String
    /// The number, from 0, of the search text's word or phrase that matches.
    public let term: Int
    /// The range of the hit in the column's text, in bytes of UTF-8.
    public let range: Range<Int>
}

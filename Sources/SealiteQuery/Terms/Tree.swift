internal import SealiteDatabase
package import SealiteQueryLanguage

/// The types of a query's syntax tree, under one prefix, which tells them from the types of the query builder.
package enum Tree {
    package typealias Query = SealiteQueryLanguage.QueryTree
    package typealias Select = SealiteQueryLanguage.SelectTree
    package typealias ResultColumn = SealiteQueryLanguage.ResultColumn
    package typealias From = SealiteQueryLanguage.FromClause
    package typealias Join = SealiteQueryLanguage.JoinClause
    package typealias OrderTerm = SealiteQueryLanguage.OrderTerm
    package typealias Expression = SealiteQueryLanguage.ExpressionTree
    package typealias Path = SealiteQueryLanguage.Path
    package typealias Collation = SealiteQueryLanguage.CollateClause
    package typealias Position = SealiteQueryLanguage.SourcePosition

    /// Parses an expression of SQL++.
    ///
    /// - Throws: `invalidQuery`, with the position and the expected syntax.
    package static func expression(_ text: String) throws -> Expression {
        do {
            return try Expression(parsing: text)
        } catch {
            throw DatabaseError(error)
        }
    }
}

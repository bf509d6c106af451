internal import SealiteDatabase
package import SealiteQueryLanguage

/// The types of a query's syntax tree, under a prefix: some of their names are also names of the query builder's types.
package enum Tree {
    package typealias Query = SealiteQueryLanguage.Query
    package typealias Select = SealiteQueryLanguage.Select
    package typealias ResultColumn = SealiteQueryLanguage.ResultColumn
    package typealias From = SealiteQueryLanguage.From
    package typealias Join = SealiteQueryLanguage.Join
    package typealias OrderTerm = SealiteQueryLanguage.OrderTerm
    package typealias Expression = SealiteQueryLanguage.Expression
    package typealias Path = SealiteQueryLanguage.Path
    package typealias Collation = SealiteQueryLanguage.Collation
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

internal import SealiteDatabase
package import SealiteQueryLanguage

/// The types of a query's syntax tree, under a prefix: some of their names are also names of the query builder's types.
package enum Tree {
    package typealias Statement = SealiteQueryLanguage.Statement
    package typealias Query = SealiteQueryLanguage.Query
    package typealias Operand = SealiteQueryLanguage.QueryOperand
    package typealias Select = SealiteQueryLanguage.Select
    package typealias Projection = SealiteQueryLanguage.Projection
    package typealias ResultColumn = SealiteQueryLanguage.ResultColumn
    package typealias From = SealiteQueryLanguage.From
    package typealias Source = SealiteQueryLanguage.Source
    package typealias Join = SealiteQueryLanguage.Join
    package typealias OrderTerm = SealiteQueryLanguage.OrderTerm
    package typealias Expression = SealiteQueryLanguage.Expression
    package typealias Literal = SealiteQueryLanguage.Literal
    package typealias Path = SealiteQueryLanguage.Path
    package typealias Collation = SealiteQueryLanguage.Collation
    package typealias Between = SealiteQueryLanguage.Between
    package typealias Membership = SealiteQueryLanguage.Membership
    package typealias Like = SealiteQueryLanguage.Like
    package typealias Quantified = SealiteQueryLanguage.Quantified
    package typealias Call = SealiteQueryLanguage.FunctionCall
    package typealias Window = SealiteQueryLanguage.Window
    package typealias CollectionName = SealiteQueryLanguage.CollectionName
    package typealias Operator = SealiteQueryLanguage.BinaryOperator
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

internal import SealiteQueryLanguage

/// The types of a query's tree. Without the prefix, some of the names mean types of the query builder.
enum Tree {
    typealias Statement = SealiteQueryLanguage.Statement
    typealias Query = SealiteQueryLanguage.Query
    typealias Operand = SealiteQueryLanguage.QueryOperand
    typealias Select = SealiteQueryLanguage.Select
    typealias Projection = SealiteQueryLanguage.Projection
    typealias ResultColumn = SealiteQueryLanguage.ResultColumn
    typealias From = SealiteQueryLanguage.From
    typealias Source = SealiteQueryLanguage.Source
    typealias Join = SealiteQueryLanguage.Join
    typealias OrderTerm = SealiteQueryLanguage.OrderTerm
    typealias Expression = SealiteQueryLanguage.Expression
    typealias Literal = SealiteQueryLanguage.Literal
    typealias Path = SealiteQueryLanguage.Path
    typealias Collation = SealiteQueryLanguage.Collation
    typealias Position = SealiteQueryLanguage.SourcePosition
}

/// An expression of SQL++, as a syntax tree.
///
/// Chains of operators are flat: `a + b - c` is one node with three operands. A chain of any length is therefore read,
/// printed and released without recursion. The functions of `Expression+Making` keep them flat.
package indirect enum Expression: Sendable, Equatable {
    /// A literal value.
    case literal(Literal)
    /// A property, an alias or a variable; only name resolution distinguishes them.
    case path(Path)
    /// All properties of a source: `*` for the only source, `a.*` for the source that the names refer to. Allowed in a
    /// result list, or as the only argument of an aggregate.
    case star([String], SourcePosition)
    /// `$name`
    case parameter(String, SourcePosition)
    /// `[a, b]`
    case array([Expression])
    /// `{'x': a}`
    case object([ObjectMember])
    /// Steps into the value of an expression that is not itself a path: `f(x).y[0]`.
    case property(Expression, [PathStep])
    /// `-a`
    case minus(Expression)
    /// `NOT a`
    case not(Expression)
    /// `a AND b AND c`
    case and([Expression])
    /// `a OR b OR c`
    case or([Expression])
    /// Binary operators of one precedence, from left to right: `a + b - c`.
    case operation(Operation)
    /// `a IS VALUED`, `a IS NOT VALUED`
    case isValued(Expression, isNegated: Bool)
    /// `a LIKE b`
    case like(Like)
    /// `a BETWEEN b AND c`
    case between(Between)
    /// `a IN (b, c)`, `a IN b`
    case membership(Membership)
    /// `ANY v IN a SATISFIES b END`
    case quantified(Quantified)
    /// `ARRAY a FOR v IN b WHEN c END`, `FIRST a FOR v IN b WHEN c END`
    case comprehension(Comprehension)
    /// `CASE a WHEN b THEN c ELSE d END`
    case conditional(Conditional)
    /// `a COLLATE NOCASE`
    case collate(Expression, Collation)
    /// `f(a, b)`
    case call(FunctionCall)
    /// `META()`, `META(a)`: the metadata of the source that the names refer to; without names, of the first source.
    case meta([String], SourcePosition)
    /// `MATCH(index, query)`. The names of the index are its name, optionally preceded by the names of its source.
    case match(index: [String], query: Expression, SourcePosition)
    /// `RANK(index, weight, …)`. The names of the index are its name, optionally preceded by the names of its source.
    case rank(index: [String], weights: [Expression], SourcePosition)
    /// `EXISTS (SELECT …)`
    case exists(Query)
    /// `(SELECT …)`
    case subquery(Query)
}

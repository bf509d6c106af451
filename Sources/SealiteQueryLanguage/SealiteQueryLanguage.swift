// SQL++: a parser and a printer of syntax trees, without files, database or Foundation.
//
// `Documentation/QueryLanguage.md` specifies the language. Start reading here:
// - `Statement`, `QueryTree`, `SelectTree` and `ExpressionTree` are the tree;
// - `Statement.init(parsing:)` parses it with `Lexer` and `Parser`, and throws `QuerySyntaxError`;
// - `Statement.description` prints it with `Printer`: the text parses to an equal tree;
// - `FunctionSignature` is the table of functions, `QueryLimits` are the limits.
//
// The tree represents syntax only: planning checks whether names are declared and aggregates are allowed where they
// are.

/// The limits of a query's text, each of which bounds time, memory or stack use.
package enum QueryLimits {
    /// The maximum length of a query's text, in bytes of UTF-8.
    package static let textByteCount = 4 << 20
    /// The maximum nesting depth of parentheses, literals, calls, subqueries and prefix operators.
    ///
    /// The stack of SQLite's own parser, which has room for 100 symbols, can refuse a translated query of a smaller
    /// depth.
    package static let nesting = 100
    /// The maximum number of arguments of a call, of elements of an array literal, and of members of an object literal;
    /// it is the limit of older versions of SQLite for the arguments of a function.
    package static let arguments = 127
    /// The maximum number of steps of a path; it equals the maximum nesting depth of a document's body.
    package static let pathSteps = 500
}

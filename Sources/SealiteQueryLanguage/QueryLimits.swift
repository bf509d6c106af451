/// The limits of a query's text, each of which bounds time, memory or stack use.
package enum QueryLimits {
    /// The maximum length of a text, in bytes of UTF-8.
    package static let textByteCount = 4 << 20
    /// The maximum nesting of parentheses, literals, calls, subqueries and prefix operators.
    ///
    /// SQLite's own parser has a stack of 100 symbols.
    package static let nesting = 100
    /// The maximum number of arguments of a call, and of elements of an array or object literal; it is SQLite's limit
    /// for arguments.
    package static let arguments = 127
    /// The maximum number of steps of a path; it is the maximum nesting of a document's body.
    package static let pathSteps = 500
}

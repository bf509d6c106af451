/// The limits of a query's text. Each keeps time, memory or stack bounded whatever the text is.
package enum QueryLimits {
    /// The longest text, in bytes of UTF-8.
    package static let textByteCount = 4 << 20
    /// The deepest nesting of parentheses, literals, calls, subqueries and prefix operators.
    ///
    /// SQLite's own parser has a stack of 100.
    package static let nesting = 100
    /// The largest number of arguments of a call, and of elements of an array or object literal: SQLite's own limit.
    package static let arguments = 127
    /// The largest number of steps of a path: as deep as a document's body can be.
    package static let pathSteps = 500
}

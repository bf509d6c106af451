/// A call of a function of `FunctionSignature`'s table.
package struct FunctionCall: Sendable, Equatable {
    /// The function's name in upper case.
    package var name: String
    /// The arguments; an aggregate may have a single `*`.
    package var arguments: [Expression]
    /// A Boolean value that says whether DISTINCT is written, so that an aggregate ignores repeated values.
    package var isDistinct: Bool
    /// The condition of FILTER, which rows must satisfy to be aggregated; nil without one.
    package var filter: Expression?
    /// The window of OVER; nil without one.
    package var window: Window?
    /// The position of the function's name in the query's text.
    package var position: SourcePosition

    package init(
        _ name: String, _ arguments: [Expression], isDistinct: Bool = false, filter: Expression? = nil,
        window: Window? = nil, at position: SourcePosition = .none
    ) {
        self.name = name
        self.arguments = arguments
        self.isDistinct = isDistinct
        self.filter = filter
        self.window = window
        self.position = position
    }
}

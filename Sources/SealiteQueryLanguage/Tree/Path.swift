/// A name and the path steps into its value: `address.lines[0]`.
package struct Path: Sendable, Equatable {
    /// The first name: an alias, a collection, a variable or a property.
    package var root: String
    /// The steps that follow the first name.
    package var steps: [PathStep]
    /// The position of the first name in the query's text.
    package var position: SourcePosition

    package init(_ root: String, _ steps: [PathStep] = [], at position: SourcePosition = .none) {
        self.root = root
        self.steps = steps
        self.position = position
    }
}

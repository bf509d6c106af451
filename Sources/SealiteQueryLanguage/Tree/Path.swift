/// A name and the path steps into its value: `address.lines[0]`.
package struct Path: Sendable, Equatable {
    /// The first name: an alias, a collection, a variable or a property.
    package var root: String
    /// The steps after the name.
    package var steps: [PathStep]
    /// The place of the first name in the text.
    package var position: SourcePosition

    package init(_ root: String, _ steps: [PathStep] = [], at position: SourcePosition = .none) {
        self.root = root
        self.steps = steps
        self.position = position
    }
}

/// A step into an object or an array.
package enum PathStep: Sendable, Equatable {
    /// `.name`
    case name(String)
    /// `[2]`; negative numbers count from the end.
    case index(Int64)
    /// `[1:3]`: the elements from the first index on and before the second.
    case slice(from: Int64?, to: Int64?)
}

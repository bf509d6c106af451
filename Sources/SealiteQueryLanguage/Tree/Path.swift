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

    /// Names are compared by their bytes, as those of ``PathStep`` are.
    package static func == (left: Path, right: Path) -> Bool {
        left.root.utf8.elementsEqual(right.root.utf8) && left.steps == right.steps && left.position == right.position
    }
}

/// A step of a path into an object or an array.
package enum PathStep: Sendable, Equatable {
    /// The member of an object with a name: `.name`.
    case name(String)
    /// The item of an array with an index, counted from 0: `[2]`. Negative numbers count from the end.
    case index(Int64)
    /// The items of an array from the first index up to, but without, the second: `[1:3]`. Indexes count from 0, and
    /// negative ones from the end. Nil stands for the start or the end of the array.
    case slice(from: Int64?, to: Int64?)
    /// An object of arrays, made from an array of objects: `[*]`. It has a member for each name in the objects, with an
    /// item for each of them.
    case star

    /// Steps by names are equal if these have the same bytes, as those of documents' members are compared: two names can be
    /// equal as `String`s and be written by different scalars.
    package static func == (left: PathStep, right: PathStep) -> Bool {
        switch (left, right) {
        case (.name(let left), .name(let right)): left.utf8.elementsEqual(right.utf8)
        case (.index(let left), .index(let right)): left == right
        case (.slice(let from, let to), .slice(let otherFrom, let otherTo)): from == otherFrom && to == otherTo
        case (.star, .star): true
        case (.name, _), (.index, _), (.slice, _), (.star, _): false
        }
    }

    /// A Boolean value that says whether the step leads to one value that is stored as it is: a member or an item.
    package var isPlain: Bool {
        switch self {
        case .name, .index: true
        case .slice, .star: false
        }
    }
}

/// The path to the arrays whose elements an index contains: `contacts[].phones` leads to the phones of all contacts.
package struct ArrayPath: Sendable, Equatable, CustomStringConvertible {
    /// The paths to the arrays, at least one: the first one leads from a document to an array, each further one from an
    /// element of the previous array to an array in this element.
    package var levels: [Path]

    package init(_ levels: [Path]) { self.levels = levels }

    /// The path as SQL++ text, such as `contacts[].phones`.
    package var description: String { levels.map { "\(ExpressionTree.path($0))" }.joined(separator: "[].") }
}

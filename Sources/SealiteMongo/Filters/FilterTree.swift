internal import SealiteValues

/// The parsed form of a filter, which is evaluated for documents.
indirect enum FilterTree: Sendable {
    /// All of the trees hold; true if there are none.
    case all([FilterTree])
    /// At least one of the trees holds; false if there are none.
    case any([FilterTree])
    /// The tree doesn't hold.
    case not(FilterTree)
    /// Some value at a path passes a test.
    case condition(PathCondition)
    /// A condition on the whole document, such as that of `$expr`.
    case document(DocumentCondition)
    /// Always true or always false.
    case constant(Bool)

    /// Returns the condition that some value at a path passes a test.
    static func path(_ path: FilterPath, _ test: LeafTest) -> FilterTree { .condition(PathCondition(path, test)) }

    /// Returns the conjunction of trees; a single tree is returned as it is.
    static func every(_ trees: [FilterTree]) -> FilterTree { trees.count == 1 ? trees[0] : .all(trees) }
}

/// A function that returns whether a whole document fulfils a condition.
typealias DocumentCondition = @Sendable (Row) throws -> Bool

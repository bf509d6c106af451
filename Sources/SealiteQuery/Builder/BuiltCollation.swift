internal import SealiteQueryLanguage

/// A collation of the query builder with its syntax tree.
protocol BuiltCollation: CollationProtocol {
    var tree: Tree.Collation { get }
}

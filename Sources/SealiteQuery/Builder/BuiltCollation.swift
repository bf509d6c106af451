internal import SealiteQueryLanguage

/// A collation with its tree.
protocol BuiltCollation: CollationProtocol {
    var tree: Tree.Collation { get }
}

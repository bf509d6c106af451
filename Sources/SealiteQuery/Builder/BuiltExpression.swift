internal import Foundation
internal import FoundationEssentials
internal import SealiteDatabase
internal import SealiteQueryLanguage

/// An expression of the query builder with its syntax tree.
struct BuiltExpression: PropertyExpressionProtocol, MetaExpressionProtocol {
    let tree: Tree.Expression
    /// The number of levels on which operands are nested in each other; the operands of a chain of equal operators are on
    /// one level.
    let depth: Int

    /// Creates an expression without operands.
    init(_ tree: Tree.Expression) { (self.tree, depth) = (tree, 1) }

    /// Creates an expression from its operands: `make` returns its syntax tree from theirs. If it is nested deeper than a
    /// query's text may be, the expression makes the translation of the query fail.
    init(_ operands: [any ExpressionProtocol], _ make: ([Tree.Expression]) -> Tree.Expression) {
        let trees = operands.map(\.tree)
        let made = make(trees)
        var depth = 1
        for (index, operand) in operands.enumerated() {
            let isExtended = index == 0 && made.extends(trees[0])
            depth = max(depth, operand.depth + (isExtended ? 0 : 1))
        }
        if depth <= QueryLimits.nesting {
            (tree, self.depth) = (made, depth)
        } else {
            tree = .literal(.unusable("the query is nested deeper than \(QueryLimits.nesting) levels"))
            self.depth = 1
        }
    }

    func from(_ alias: String) -> any ExpressionProtocol {
        switch tree {
        case .path(let path): BuiltExpression(.path(Tree.Path(alias, [.name(path.root)] + path.steps)))
        case .property(.meta, let steps): BuiltExpression(.property(.meta([alias], .none), steps))
        case .star: BuiltExpression(.star([alias], .none))
        default: self
        }
    }
}

extension Tree.Expression {
    /// Returns whether the expression is a chain of operators that continues another one, which isn't nested in it.
    fileprivate func extends(_ first: Tree.Expression) -> Bool {
        switch (self, first) {
        case (.and, .and), (.or, .or): true
        case (.operation(let chain), .operation(let beginning)): chain.level == beginning.level
        default: false
        }
    }
}

/// The error for a value that JSON can't express, or a malformed key path, which a query can't contain, with the
/// reason.
struct UnusableValue: Error {
    let reason: String
}

extension Tree.Expression {
    /// Returns an expression in place of a part of a query, described by `part` (`a result`), that wasn't made by
    /// `maker`, the type of the query builder that makes such parts. It makes the translation of the query fail.
    static func foreign(_ part: String, _ maker: String) -> Tree.Expression {
        .literal(.unusable("\(part) of the query wasn't made by \(maker), but by another type"))
    }

    /// The reason why a query can't contain a part of the expression that was made by the query builder; nil if none is
    /// known.
    var unusableReason: String? {
        do {
            _ = try rewritten { part in
                switch part {
                case .literal(.unusable(let reason)): throw UnusableValue(reason: reason)
                case .path, .star, .meta: return part
                default: return nil
                }
            }
            return nil
        } catch {
            return (error as? UnusableValue)?.reason
        }
    }
}

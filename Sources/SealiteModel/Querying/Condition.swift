internal import SealiteQuery
internal import SealiteQueryLanguage

/// A condition on objects of a type, made from key paths (Documentation/Models.md §8).
///
/// ```swift
/// let people = store.objects(Person.self).where(\.age > 21 && .like(\.name, "A%") && \.owner == nil)
/// ```
/// If the member of a key path can't be found, the error is thrown when a query with the condition is run.
public struct Condition<Root: Codable>: Sendable {
    /// The condition, or the reason for which it is invalid.
    let tree: Swift.Result<Tree.Expression, any Error>
    /// A Boolean value that says whether the condition is true or false for each object, never MISSING or NULL.
    let isTwoValued: Bool

    init(_ tree: Swift.Result<Tree.Expression, any Error>, isTwoValued: Bool) {
        (self.tree, self.isTwoValued) = (tree, isTwoValued)
    }

    /// Creates the condition that `make` returns for the member of a key path. `isTwoValued` says whether the condition
    /// is true or false for each object, never MISSING or NULL; nil means that this depends on whether the member may
    /// be nil.
    init(_ keyPath: PartialKeyPath<Root>, isTwoValued: Bool? = nil, _ make: (MemberPath) throws -> Tree.Expression) {
        do {
            let member = try MemberPath.of(keyPath)
            self.init(.success(try make(member)), isTwoValued: isTwoValued ?? !member.mayBeNil)
        } catch {
            self.init(.failure(error), isTwoValued: true)
        }
    }

    /// The condition as SQL++ text; for an invalid condition, the text of its error.
    var text: String {
        switch tree {
        case .success(let tree): "\(tree)"
        case .failure(let error): "\(error)"
        }
    }
}

extension Condition {
    /// Returns the conjunction of two conditions.
    public static func && (left: Condition, right: Condition) -> Condition { both(left, right) { .and($0, $1) } }

    /// Returns the disjunction of two conditions.
    public static func || (left: Condition, right: Condition) -> Condition { both(left, right) { .or($0, $1) } }

    private static func both(
        _ left: Condition, _ right: Condition, _ make: (Tree.Expression, Tree.Expression) -> Tree.Expression
    ) -> Condition {
        let tree = left.tree.flatMap { first in right.tree.map { make(first, $0) } }
        return Condition(tree, isTwoValued: left.isTwoValued && right.isTwoValued)
    }

    /// Returns the negation of a condition. An object for which the condition isn't true because a member is nil
    /// fulfils the negation.
    public static prefix func ! (condition: Condition) -> Condition {
        Condition(
            condition.tree.map { tree in
                switch tree {
                case .isValued(let member, let isNegated): .isValued(member, isNegated: !isNegated)
                case _ where condition.isTwoValued: .not(tree)
                default: .operation(tree, .isNot, .literal(.boolean(true)))
                }
            }, isTwoValued: true)
    }
}

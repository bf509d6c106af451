internal import SealiteQueryLanguage
internal import SealiteDatabase

/// A join without its condition.
public protocol JoinOnProtocol: JoinProtocol {
    /// Returns the join with the condition that matching rows fulfil.
    func on(_ condition: any ExpressionProtocol) -> any JoinProtocol
}

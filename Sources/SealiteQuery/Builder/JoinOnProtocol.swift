internal import SealiteQueryLanguage
internal import SealiteDatabase

/// A join that can be given a condition; without one, each row matches each row of the joined source.
public protocol JoinOnProtocol: JoinProtocol {
    /// Returns the join with the condition that a pair of rows must fulfil to match.
    func on(_ condition: any ExpressionProtocol) -> any JoinProtocol
}

public import FoundationEssentials

extension ReplicatorError: LocalizedError {
    /// The same as ``ReplicatorError/reason``.
    public var errorDescription: String? { reason }
}

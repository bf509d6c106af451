public import FoundationEssentials

extension MobileSyncError: LocalizedError {
    /// The same as ``MobileSyncError/reason``.
    public var errorDescription: String? { reason }
}

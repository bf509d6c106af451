public import FoundationEssentials

extension MobileSyncError: LocalizedError {
    /// The reason.
    public var errorDescription: String? { reason }
}

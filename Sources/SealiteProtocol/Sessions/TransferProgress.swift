/// The progress of push or of pull: numbers of bytes of bodies, and of documents.
struct TransferProgress: Sendable, Hashable {
    var completedByteCount: UInt64 = 0
    var totalByteCount: UInt64 = 0
    var documentCount: UInt64 = 0
    var outcomes = OutcomeCounts()

    mutating func add(_ byteCount: UInt64) { totalByteCount += byteCount }

    mutating func complete(_ byteCount: UInt64) {
        completedByteCount += byteCount
        documentCount += 1
    }

    /// Subtracts a part of the progress.
    static func - (left: TransferProgress, right: TransferProgress) -> TransferProgress {
        TransferProgress(
            completedByteCount: left.completedByteCount - right.completedByteCount,
            totalByteCount: left.totalByteCount - right.totalByteCount,
            documentCount: left.documentCount - right.documentCount, outcomes: left.outcomes - right.outcomes)
    }

    static func + (left: TransferProgress, right: TransferProgress) -> TransferProgress {
        TransferProgress(
            completedByteCount: left.completedByteCount + right.completedByteCount,
            totalByteCount: left.totalByteCount + right.totalByteCount,
            documentCount: left.documentCount + right.documentCount, outcomes: left.outcomes + right.outcomes)
    }
}

import SealiteCrypto

/// The result of one batch.
struct BatchResult {
    /// The first page of the next batch.
    var nextPage: UInt32
    var pageCount: Int
    var resealed: Int
}

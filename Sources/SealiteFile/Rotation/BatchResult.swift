import SealiteCrypto

/// The result of one batch of a key rotation, which encrypts some pages again under the new page key.
struct BatchResult {
    /// The number of the first page of the next batch.
    var nextPage: UInt32
    var pageCount: Int
    var resealed: Int
}

/// The result of fetching an attachment.
package enum AttachmentResult: Sendable, Hashable {
    /// The attachment is in the database.
    case stored
    /// The peer answered with an error.
    case refused(BLIPErrorReply)
    /// The content doesn't match the digest or the length.
    case corrupt
    /// The database couldn't store the attachment.
    case failed(StoreFailure)
}

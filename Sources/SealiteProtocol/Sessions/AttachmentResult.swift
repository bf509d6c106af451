/// The result of fetching an attachment from the peer.
package enum AttachmentResult: Sendable, Hashable {
    /// The attachment is stored in the database.
    case stored
    /// The peer answered the request for the attachment with this error.
    case refused(BLIPErrorReply)
    /// The received content doesn't match the requested digest or the announced length.
    case corrupt
    /// The database couldn't store the attachment.
    case failed(StoreFailure)
}

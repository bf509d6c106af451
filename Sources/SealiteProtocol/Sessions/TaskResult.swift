/// The result of a task that a session has requested from its owner: the peer's reply, the result of a request to the
/// database, or that of fetching an attachment.
package enum TaskResult: Sendable {
    case reply(BLIPReply)
    case store(StoreResult)
    case attachment(AttachmentResult)
}

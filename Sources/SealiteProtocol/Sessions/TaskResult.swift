/// The result of a requested task.
package enum TaskResult: Sendable {
    case reply(BLIPReply)
    case store(StoreResult)
    case attachment(AttachmentResult)
}

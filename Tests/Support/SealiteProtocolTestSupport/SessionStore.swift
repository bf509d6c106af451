import SealiteProtocol
import SealiteRevisions

/// A database of one collection behind a session: one in memory, or a sealed file.
protocol SessionStore: AnyObject {
    func perform(_ request: StoreRequest) -> StoreResult
    func content(_ digest: BlobDigest) throws -> [UInt8]?
    /// Stores content that was checked already.
    func store(_ content: [UInt8], as digest: BlobDigest) throws
    func observe(_ observer: @escaping () -> Void)
}

extension MemoryStore: SessionStore {
    func content(_ digest: BlobDigest) throws -> [UInt8]? { attachments[digest] }
    func store(_ content: [UInt8], as digest: BlobDigest) throws { attachments[digest] = content }
    func observe(_ observer: @escaping () -> Void) { observers.append(observer) }
}

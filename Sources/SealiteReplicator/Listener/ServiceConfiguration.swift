internal import SealiteBase
internal import SealiteProtocol
internal import SealiteTransport
package import SealiteDatabase

/// The configuration of a replication service, which serves peers: its collections and limits.
package struct ServiceConfiguration: Sendable {
    /// The collections of one database to serve, at least one. Peers see other collections only if
    /// `servesAllCollections` is true.
    package var collections: [SealiteDatabase.Collection]
    /// A Boolean value that says whether each new peer gets all collections that the database has at that time. Default
    /// false.
    package var servesAllCollections = false
    /// A Boolean value that says whether peers may only read. Default false.
    package var readOnly = false
    /// The maximum memory in bytes that all connections together may make the service use for unanswered requests and
    /// unread replies. Default 128 MiB. Above the limit each connection may still use 128 KiB. The revisions of a
    /// connection that wait for attachments may use an eighth of the limit. While all other connections use at most
    /// half of the limit, a connection may receive a message of any permitted size, however small the limit is.
    package var heldByteLimit = 128 << 20
    /// The maximum time for which this side waits for a peer that makes no progress; then the session ends.
    var stallLimit = Duration.seconds(60)
    /// The log in which the peers of the service are recorded; nil for none.
    var log: ListenerLog?

    /// Creates a configuration that serves whole collections for reading and writing.
    package init(collections: [SealiteDatabase.Collection]) { self.collections = collections }
}

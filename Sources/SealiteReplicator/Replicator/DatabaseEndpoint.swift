internal import SealiteCredentials
public import SealiteDatabase

/// Another database of this program as the remote of a replicator. No network and no authentication are involved.
///
/// ```swift
/// let endpoint = try DatabaseEndpoint(archive)
/// let replicator = try Replicator(ReplicatorConfiguration(collections: [notes], target: endpoint))
/// ```
/// Collections are replicated with the collections of the same names. The endpoint keeps a reference to the other
/// database, so that it stays open unless it is closed explicitly.
public struct DatabaseEndpoint: Sendable {
    /// The database that is the remote of the replication.
    public let database: Database
    /// A URL that stands for the database in place of a remote's URL, for example in the names of checkpoints.
    let name: EndpointURL

    /// Creates the endpoint of an open database.
    ///
    /// - Throws: `notOpen`, and errors from reading the database.
    public init(_ database: Database) throws {
        self.database = database
        name = try EndpointURL("ws://localhost/\(try database.publicUUID())")
    }
}

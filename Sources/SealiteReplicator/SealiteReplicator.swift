// SealiteReplicator: sync with a Sync Gateway, and with Sealite or Couchbase Lite peers.
//
//   Store/         the replicator's and the listener's access to the document database.
//   Connection/    sessions of SealiteProtocol on a connection of SealiteTransport.
//   Replicator/    the active side, which connects.
//   Listener/      the passive side, which accepts connections.
//
// The values that a configuration contains (`EndpointURL`, `ServerTrust` and others) are SealiteEndpoints', which this
// module re-exports with SealiteCredentials, as it does `Resolution`.
//
// Start with Documentation/Replication.md, then `Replicator`, then `SessionRunner`.

@_exported public import SealiteCredentials
@_exported public import enum SealiteDatabase.Resolution

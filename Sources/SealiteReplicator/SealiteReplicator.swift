// SealiteReplicator: sync with a Sync Gateway, and with Sealite or Couchbase Lite peers.
//
//   Store/         the document database as the replicator and the listener use it.
//   Connection/    sessions of SealiteProtocol on a connection of SealiteTransport.
//   Replicator/    the side that connects.
//   Listener/      the side that is connected to.
//
// The values that a configuration is made of (`EndpointURL`, `ServerTrust` and others) are SealiteCredentials', which this module
// re-exports, as it does `Resolution`.
//
// A reader starts with Documentation/Replication.md, then `Replicator`, then `SessionRunner`.

@_exported public import SealiteCredentials
@_exported public import enum SealiteDatabase.Resolution

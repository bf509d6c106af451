// SealiteReplicator: sync with a Sync Gateway, and with Sealite or Couchbase Lite peers.
//
// The layers, from the wire up; each knows only those before it:
//
//   BLIP/       frames and messages on a connection: codec, multiplexer, flow control. No I/O, no clock.
//   Messages/   the replication protocol's requests and replies as types, with limits on what a peer may send.
//   Core/       push, pull and replication checkpoints as value state machines that return actions.
//   Store/      the document database as the replicator and the listener use it.
//   Connection/, Replicator/, Listener/   sessions on a connection, and the two that applications make.
//
// The connections themselves are SealiteTransport's. The values that a configuration is made of (`EndpointURL`, `ServerTrust` and
// others) are SealiteCredentials', which this module re-exports.
//
// A reader starts with Documentation/Replication.md, then `BLIPMultiplexer`, then `ActiveSession`.

@_exported public import SealiteCredentials

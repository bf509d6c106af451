// SealiteReplicator: sync with a Sync Gateway, and with Sealite or Couchbase Lite peers.
//
// The layers, from the wire up; each knows only those before it:
//
//   BLIP/       frames and messages on a connection: codec, multiplexer, flow control. No I/O, no clock.
//   Messages/   the replication protocol's requests and replies as types, with limits on what a peer may send.
//   Core/       push, pull and replication checkpoints as value state machines that return actions.
//
// A reader starts with Documentation/Replication.md, then `BLIPMultiplexer`, then `ActiveSession`.

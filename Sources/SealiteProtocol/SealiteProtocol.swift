// SealiteProtocol: the replication protocol of Sync Gateway as values without I/O and without a clock. The values are
// passed received messages, and return actions: what to send, read or store.
//
//   BLIP/       frames and messages on a connection: codec, multiplexer, flow control.
//   Messages/   the requests and replies of the replication protocol as types, with limits on what a peer may send.
//   Sessions/   push, pull and replication checkpoints as state machines that return actions.
//
// SealiteReplicator runs the sessions over connections and the document database.
//
// A reader starts with Documentation/Replication.md, then `BLIPMultiplexer`, then `ActiveSession`.

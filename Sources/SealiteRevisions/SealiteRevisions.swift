// SealiteRevisions: the values with which the document database and the sessions of the replication protocol exchange
// revisions. The module is below both, so that each type exists only once.
//
// - Versions/: the names of revisions (Version, RevisionID), version vectors (SourceVersion, VersionVector,
//   VersionHistory), which compare and merge, and HybridClock.
// - BlobDigest: the name of an attachment.
// - LocalChange: a local change to announce or propose. OutgoingRevision: a revision to send. Refusal: a revision that
//   the peer refused.
// - IncomingRevision: a revision from a peer. RevisionOutcome: the outcome of its insertion.
// - AnnouncementDecision, ProposalDecision, RefusedChangeDecision: the database's decisions before a revision is sent.
//
// Start reading with `Version`.

// SealiteRevisions: what the document database and the sessions of the replication protocol tell each other of revisions, as values.
// They stand below both, so that each of them exists once.
//
//   Version, RevisionID       what names a revision.
//   Versions/                 version vectors: SourceVersion, VersionVector, VersionHistory, which compare and merge, and HybridClock.
//   BlobDigest                what names an attachment.
//   LocalChange               what changed here, to be announced or proposed; OutgoingRevision what is sent of it, Refusal what
//                             the peer didn't take.
//   IncomingRevision          what came from a peer, and RevisionOutcome what became of it.
//   AnnouncementVerdict, ProposalVerdict, Reconsideration   what the database decides before anything is sent.
//
// A reader starts with `Version`.

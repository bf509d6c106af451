// Per-document sync, as MongoDB Stitch had it: chosen documents of a collection, a conflict handler, change events that say whether a
// write has reached the remote, and documents that are paused one by one.
//
// Start at `Collections/SyncedCollection.swift` for what applications call, at `Engine/CollectionSync.swift` for what runs. What is stored, and
// kept in a document's own transaction, is in `SealiteDatabase/Synced`. Documentation/PerDocumentSync.md is the specification.

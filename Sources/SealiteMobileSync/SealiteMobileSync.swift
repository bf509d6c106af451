// Per-document sync as in MongoDB Stitch: selected documents of a collection, a conflict handler, change events that
// say whether a write has reached the remote, and pausing of single documents.
//
// Start at `Collections/SyncedCollection.swift` for the API and at `Engine/CollectionSync.swift` for the work behind
// it. What is stored, in the transaction of the document itself, is in `SealiteDatabase/Synced`.
// Documentation/PerDocumentSync.md is the specification.

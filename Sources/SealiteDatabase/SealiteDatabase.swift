// SealiteDatabase: JSON documents in collections, blobs, changes and revisions, in one sealed file.
//
// Entry points for a reader:
// - Documentation/DocumentFormat.md: the tables and the binary columns, to the byte.
// - Database.swift: opening, transactions, collections. Collections/Collection.swift: the operations on documents.
// - Documents/: Document, MutableDocument, Codable. Values/: the values of properties. Body/: JSON text and JSONB.
// - Revisions/: ids and trees. Blobs/: content-addressed chunks. Changes/: feeds and listeners.
// - Storage/: the only folder that knows SQL; Storage/PreparedStatement.swift is the only file that steps statements.

@_exported public import SealiteRevisions

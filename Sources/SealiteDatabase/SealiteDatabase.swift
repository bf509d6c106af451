// SealiteDatabase: JSON documents in collections, blobs, changes and revisions, in one sealed file.
//
// Entry points for a reader:
// - Documentation/DocumentFormat.md: the tables and the binary columns, to the byte.
// - Core/: Database, Collection and the transaction, which all else extends. Database+Opening.swift puts the parts together.
// - Documents/: reading and saving documents. Values/: the values of properties. Body/: JSON text and JSONB.
// - Revisions/: trees. History/: the revisions of documents. Blobs/: content-addressed chunks. Changes/: feeds and listeners.
// - Storage/: the file and its connections; Storage/PreparedStatement.swift is the only file that steps statements.
// - Sources/README.md: the folders in their order, each of which uses only those before it.

@_exported public import SealiteRevisions

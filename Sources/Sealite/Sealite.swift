// Sealite: all that an application needs, with one import: sealed files, credentials, documents, queries, MongoDB's calls, models,
// and sync. A program that needs less imports the modules themselves, and builds less.
//
// SealiteGRDB isn't among them: a program that uses GRDB on sealed files imports it beside GRDB, whose `Database` has the name of
// the document database.

@_exported public import SealiteAuthentication
@_exported public import SealiteCredentials
@_exported public import SealiteCrypto
@_exported public import SealiteDatabase
@_exported public import SealiteFile
@_exported public import SealiteMaintenance
@_exported public import SealiteMobileSync
@_exported public import SealiteModel
@_exported public import SealiteMongo
@_exported public import SealiteQuery
@_exported public import SealiteReplicator
@_exported public import SealiteValues

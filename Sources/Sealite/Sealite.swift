// Sealite: the whole library with one import: sealed files, credentials, documents, queries, MongoDB's API, models and
// sync. A program that needs less imports individual modules and builds less.
//
// SealiteGRDB is excluded: a program that uses GRDB on sealed files imports it together with GRDB, whose `Database` has
// the same name as the document database.

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

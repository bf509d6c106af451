// Maintenance of sealed database files, beside their use: verification and audit, backup and restore, copies to and from plain
// databases, salvage, freshness records, and the repair of headers. Nothing here stands in a page's way to disk: the loadable
// extension does without it.
//
// Start at the extensions of `SealedDatabase` in `Verification/Verifier.swift`, `Backup/`, `Copying/`, `Salvage/`, `Freshness/` and
// `Headers/HeaderBackup.swift`. `Files/` has what they share.

// Maintenance of sealed database files: verification and audit, backup and restore, copies to and from plain databases,
// salvage, freshness records, and the repair of headers. Normal use of a file needs none of it, and the loadable
// extension doesn't contain it.
//
// Start at the extensions of `SealedDatabase` in `Verification/Verifier.swift`, `Backup/`, `Copying/`, `Salvage/`,
// `Freshness/` and `Headers/HeaderBackup.swift`. `Files/` has their common parts.

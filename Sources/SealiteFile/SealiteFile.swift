// The sealed database file: header, key slots, pages, WAL, journals and temporary files behind a VFS on the
// distribution's own SQLite. `Documentation/FORMAT.md` gives every byte.
//
// Start at `SealedDatabase` (what callers see), then `VFS/Files/MainFile.swift` (a page's way to disk and back). `Header/` is the
// header region, `Keys/` what unlocks and derives, `Pages/` the codec and layouts, `VFS/Callbacks/` where SQLite
// enters. Verification, backup, copies and salvage stand above it, in `SealiteMaintenance`.

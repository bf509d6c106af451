// The sealed database file: header, key slots, pages, WAL, journals and temporary files behind a VFS on the
// distribution's own SQLite. `Documentation/FORMAT.md` gives every byte.
//
// Read `SealedDatabase` (the interface for callers) first, then `VFS/Files/MainFile.swift` (how a page is read and
// written). `Header/` has the header region, `Keys/` the unlocking and derivation of keys, `Pages/` the codec and
// layouts of pages, `VFS/Callbacks/` the functions that SQLite calls. Verification, backup, copies and salvage are in
// `SealiteMaintenance`, a higher layer.

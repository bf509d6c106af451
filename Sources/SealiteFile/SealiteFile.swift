import CSQLite
import SealiteCrypto

// The sealed database file: header, key slots, pages, WAL, journals and temporary files behind a VFS on the
// distribution's own SQLite. `Documentation/FORMAT.md` gives every byte.
//
// Read `SealedDatabase` (the interface for callers) first, then `VFS/Files/MainFile.swift` (how a page is read and
// written). `Header/` has the header region, `Keys/` the unlocking and derivation of keys, `Pages/` the codec and
// layouts of pages, `VFS/Callbacks/` the functions that SQLite calls. Verification, backup, copies and salvage are in
// `SealiteMaintenance`, a higher layer.

/// The versions of Sealite and of the libraries that the process loaded.
package enum SealiteVersion {
    /// The version of Sealite.
    package static let number = "0.1.0"
    /// The version of libsqlite3, such as `3.40.1`.
    package static var sqlite: String { unsafe String(cString: sqlite3_libversion()) }
    /// The version of libcrypto, such as `3.0.15`.
    package static var openSSL: String { OpenSSLLibrary.version }
    /// The versions of Sealite, SQLite and OpenSSL in one line of text.
    package static var line: String { "Sealite \(number) (SQLite \(sqlite), OpenSSL \(openSSL))" }
}

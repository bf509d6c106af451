internal import CSQLite
import SealiteFile

/// Whether the host runs on the libsqlite3 that this library is linked with.
///
/// A host that brought its own copy (a static build, a Python wheel) has VFS lists, mutexes and memory of its own: a VFS
/// registered here would not exist there, and a connection from there must not be touched here.
enum HostCheck {
    /// The oldest SQLite that the sealing VFS is made for.
    private static let oldestVersion: CInt = 3_040_000

    static func requireSameLibrary(_ routines: UnsafePointer<sqlite3_api_routines>?) throws(SealedFileError) {
        guard let routines = unsafe routines, let findVFS = unsafe routines.pointee.vfs_find,
            let versionNumber = unsafe routines.pointee.libversion_number
        else { throw SealedFileError(.refused, "the host's SQLite handed over no usable routine table") }
        let (theirs, ours) = (versionNumber(), sqlite3_libversion_number())
        // The structure of the "unix" VFS lies in the library itself: one address, one copy of SQLite.
        guard let theirVFS = unsafe findVFS("unix"), unsafe theirVFS == sqlite3_vfs_find("unix") else {
            throw SealedFileError(
                .refused,
                "this program carries its own copy of SQLite (\(dotted(theirs))), not the system's libsqlite3 (\(dotted(ours)))",
                hint: "use a program that is linked with the system's libsqlite3, such as Debian's sqlite3 or python3")
        }
        guard ours >= oldestVersion else {
            throw SealedFileError(
                .refused, "libsqlite3 is \(dotted(ours)), Sealite needs \(dotted(oldestVersion)) or later",
                hint: "update the system's libsqlite3")
        }
    }

    /// 3040001 as 3.40.1.
    private static func dotted(_ number: CInt) -> String {
        "\(number / 1_000_000).\(number / 1000 % 1000).\(number % 1000)"
    }
}

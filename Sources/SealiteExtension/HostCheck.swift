internal import CSQLite
import SealiteFile

/// The check that the host, the program that loaded the extension, uses the libsqlite3 with which this library is
/// linked.
///
/// A host with its own copy (a static build, a Python wheel) has its own VFS lists, mutexes and memory: a VFS
/// registered by this library would not exist there, and this library must not use its connections.
enum HostCheck {
    /// The oldest SQLite version that the sealing VFS supports.
    private static let oldestVersion: CInt = 3_040_000

    /// Throws `SealedFileError` if the host uses another copy of SQLite, if SQLite is too old, or if `routines`, the
    /// table of SQLite's functions that the host passed to the extension, can't be used.
    static func requireSameLibrary(_ routines: UnsafePointer<sqlite3_api_routines>?) throws(SealedFileError) {
        guard let routines = unsafe routines, let findVFS = unsafe routines.pointee.vfs_find,
            let versionNumber = unsafe routines.pointee.libversion_number
        else {
            throw SealedFileError(
                .refused, "the program that loads the extension passed no usable table of SQLite's functions to it")
        }
        let (theirs, ours) = (versionNumber(), sqlite3_libversion_number())
        // The structure of the "unix" VFS is in the library itself: an equal address means the same copy of SQLite.
        guard let theirVFS = unsafe findVFS("unix"), unsafe theirVFS == sqlite3_vfs_find("unix") else {
            throw SealedFileError(
                .refused,
                "this program carries its own copy of SQLite (\(dotted(theirs))), not the system's libsqlite3 (\(dotted(ours)))",
                hint: "use a program that is linked with the system's libsqlite3, such as Debian's sqlite3 or python3")
        }
        guard ours >= oldestVersion else {
            throw SealedFileError(
                .refused,
                "the version of libsqlite3 is \(dotted(ours)), and Sealite needs \(dotted(oldestVersion)) or later",
                hint: "update the system's libsqlite3")
        }
    }

    /// Returns a version number in dotted form: 3.40.1 for 3040001.
    private static func dotted(_ number: CInt) -> String {
        "\(number / 1_000_000).\(number / 1000 % 1000).\(number % 1000)"
    }
}

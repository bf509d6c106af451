// The loadable SQLite extension `libsealitevfs.so`: the VFS "sealite", the SQL functions that unlock files, and the SQL
// functions over stored bodies (`SealiteFunctions`), for the `sqlite3` shell, Python and every other host that uses the
// system's libsqlite3.
//
// ```
//   .load ./libsealitevfs
//   SELECT sealite_unlock_key_file('notes.db', 'notes.key');
//   .open file:notes.db?vfs=sealite
// ```
//
// Start at the entry point below, which SQLite finds by the file's name. `HostCheck` refuses hosts with another copy of
// SQLite, `Functions` contains the functions that a host calls to unlock files, `UnlockedFiles` keeps the handles, and
// `PlainCopies` refuses what the shell would write unencrypted.
public import CSQLite
import SealiteFile
import SealiteFunctions

/// The entry point that SQLite calls when the extension is loaded. <https://sqlite.org/loadext.html>
///
/// Registers the VFS once per process, and the functions on this connection and every later one. The library stays
/// loaded (`SQLITE_OK_LOAD_PERMANENTLY`), because files may be open when the connection that loaded it closes. Loading
/// it again does nothing.
///
/// - Returns: `SQLITE_OK_LOAD_PERMANENTLY`, or `SQLITE_ERROR` with the reason in `message`.
@_cdecl("sqlite3_sealitevfs_init")
public func sqlite3SealitevfsInit(
    _ connection: OpaquePointer?, _ message: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
    _ routines: UnsafePointer<sqlite3_api_routines>?
) -> CInt {
    do throws(SealedFileError) {
        unsafe try HostCheck.requireSameLibrary(routines)
        try VFSChoice.standard.register()
        guard let connection = unsafe connection else {
            throw SealedFileError(.refused, "the program that loads the extension passed no connection to it")
        }
        unsafe PlainCopies.lookForShell(on: connection)
        if unsafe Functions.areRegistered(on: connection) { return SQLITE_OK | 1 << 8 }
        // Registering the VFS hooked the functions over bodies into all later connections, but not into this one.
        let code = unsafe BodyFunctions.register(on: connection)
        guard code == SQLITE_OK else {
            throw SealedFileError(sqlite: code, doing: "registering the SQL functions for document bodies")
        }
        unsafe try Functions.register(on: connection)
        unsafe sealite_auto_extension(registerOnNewConnection)
        return SQLITE_OK | 1 << 8
    } catch {
        unsafe message?.pointee = sealite_copy_string("sealite: \(error)")
        return SQLITE_ERROR
    }
}

/// The entry point that SQLite tries first, so that the extension can be loaded from a file with another name, too.
@_cdecl("sqlite3_extension_init")
public func sqlite3ExtensionInit(
    _ connection: OpaquePointer?, _ message: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
    _ routines: UnsafePointer<sqlite3_api_routines>?
) -> CInt {
    unsafe sqlite3SealitevfsInit(connection, message, routines)
}

/// Registers the extension's functions on a connection that is opened later than the one that loaded the extension; the
/// shell's `.open` opens such a connection.
/// <https://sqlite.org/c3ref/auto_extension.html>
private func registerOnNewConnection(
    _ connection: OpaquePointer?, _ message: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
    _ routines: UnsafePointer<sqlite3_api_routines>?
) -> CInt {
    guard let connection = unsafe connection else { return SQLITE_OK }
    do throws(SealedFileError) {
        unsafe try Functions.register(on: connection)
        guard let file = unsafe ConnectionFile(of: connection) else { return SQLITE_OK }
        if file.beginsAsSealed { file.note(.openedWithoutVFS(file.path)) }
        try PlainCopies.refuse(file)
        return SQLITE_OK
    } catch {
        unsafe message?.pointee = sealite_copy_string("sealite: \(error)")
        return SQLITE_ERROR
    }
}

extension SealedFileError {
    /// The error for a sealed file that was opened as a plain one. SQLite reports that it isn't a database.
    static func openedWithoutVFS(_ path: String) -> SealedFileError {
        SealedFileError(
            .refused, "\"\(path)\" is a sealed database, and was opened as a plain one",
            hint: "unlock it, and open it by the URI that the unlocking function returns, with vfs=sealite")
    }
}

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

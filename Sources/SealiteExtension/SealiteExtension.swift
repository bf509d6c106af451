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
// SQLite, `Functions` contains the functions that a host calls to unlock files, and `UnlockedFiles` keeps the handles.

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
        return SQLITE_OK
    } catch {
        unsafe message?.pointee = sealite_copy_string("sealite: \(error)")
        return SQLITE_ERROR
    }
}

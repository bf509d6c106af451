import CSQLite
import SealiteCrypto
import SealiteFile

/// The SQL functions by which a host unlocks and locks sealed files. None takes a secret, because SQL text ends up in
/// histories, logs and traces. All are `SQLITE_DIRECTONLY`, so that no view or trigger of an opened file can call them.
/// <https://sqlite.org/c3ref/create_function.html>
enum Functions {
    /// Returns whether both the functions of this extension and the functions over stored bodies are registered on a
    /// connection. If they are, they must not be registered again: SQLite refuses to replace a function while a
    /// statement is running, such as the `SELECT load_extension(…)` that loads this extension.
    static func areRegistered(on connection: OpaquePointer) -> Bool {
        var statement: OpaquePointer?
        defer { unsafe sqlite3_finalize(statement) }
        let text = "SELECT sealite_version(), body_functions_version()"
        return unsafe sqlite3_prepare_v2(connection, text, -1, &statement, nil) == SQLITE_OK
    }

    /// Registers the functions on a connection.
    static func register(on connection: OpaquePointer) throws(SealedFileError) {
        unsafe try add("sealite_unlock_key_file", 2, unlockByKeyFile, to: connection)
        unsafe try add("sealite_unlock_passphrase_file", 2, unlockByPassphraseFile, to: connection)
        unsafe try add("sealite_unlock_recovery_key_file", 2, unlockByRecoveryKeyFile, to: connection)
        unsafe try add("sealite_unlock_fd", 2, unlockByDescriptor, to: connection)
        unsafe try add("sealite_lock", 1, lock, to: connection)
        unsafe try add("sealite_failure", 0, failure, to: connection)
        unsafe try add("sealite_version", 0, version, to: connection)
    }

    private static func add(
        _ name: String, _ argumentCount: CInt, _ body: FunctionBody, to connection: OpaquePointer
    ) throws(SealedFileError) {
        let code = unsafe sqlite3_create_function_v2(
            connection, name, argumentCount, SQLITE_UTF8 | SQLITE_DIRECTONLY, nil, body, nil, nil, nil)
        guard code == SQLITE_OK else {
            throw SealedFileError(sqlite: code, doing: "registering the SQL function \(name)")
        }
    }
}

// The unlocking functions return the URI with which to open the file. It contains no key.

private func unlockByKeyFile(_ context: OpaquePointer?, _ count: CInt, _ values: SQLValues) {
    unsafe answer(context, values) { (arguments) throws(SealedFileError) in
        let path = try arguments.text(0, "the path of the database")
        let key = try SecretFile.path(try arguments.text(1, "the path of the key file")).rawKey()
        return try UnlockedFiles.unlock(path, with: .rawKey(key)).uri
    }
}

private func unlockByPassphraseFile(_ context: OpaquePointer?, _ count: CInt, _ values: SQLValues) {
    unsafe answer(context, values) { (arguments) throws(SealedFileError) in
        let path = try arguments.text(0, "the path of the database")
        let passphrase = try SecretFile.path(try arguments.text(1, "the path of the passphrase file")).passphrase()
        return try UnlockedFiles.unlock(path, with: .passphrase(passphrase)).uri
    }
}

private func unlockByRecoveryKeyFile(_ context: OpaquePointer?, _ count: CInt, _ values: SQLValues) {
    unsafe answer(context, values) { (arguments) throws(SealedFileError) in
        let path = try arguments.text(0, "the path of the database")
        let key = try SecretFile.path(try arguments.text(1, "the path of the recovery key file")).recoveryKey()
        return try UnlockedFiles.unlock(path, with: .recoveryKey(key)).uri
    }
}

/// Unlocks a file with a passphrase, which is read from a file descriptor of the host up to its end.
private func unlockByDescriptor(_ context: OpaquePointer?, _ count: CInt, _ values: SQLValues) {
    unsafe answer(context, values) { (arguments) throws(SealedFileError) in
        let path = try arguments.text(0, "the path of the database")
        let passphrase = try SecretFile.descriptor(try arguments.descriptor(1)).passphrase()
        return try UnlockedFiles.unlock(path, with: .passphrase(passphrase)).uri
    }
}

private func lock(_ context: OpaquePointer?, _ count: CInt, _ values: SQLValues) {
    unsafe answer(context, values) { (arguments) throws(SealedFileError) in
        let path = try arguments.text(0, "the path of the database")
        guard try UnlockedFiles.lock(path) else {
            throw SealedFileError(
                .notUnlocked, "\"\(path)\" wasn't unlocked by an SQL function of this extension, or was locked since")
        }
        return "locked"
    }
}

/// Returns to SQLite the reason for the last failure in reading or writing one of the sealed databases of this
/// connection, the first of them that has had a failure; if none has, the reason for the last failure in this process
/// to open a sealed database; otherwise NULL.
private func failure(_ context: OpaquePointer?, _ count: CInt, _ values: SQLValues) {
    unsafe answer(context, values) { _ in
        guard let connection = unsafe sqlite3_context_db_handle(context) else { return nil }
        var index: CInt = 0
        while let schema = unsafe sqlite3_db_name(connection, index) {
            if let found = unsafe SealedDatabase.failure(of: connection, schema: String(cString: schema)) {
                return worded(found)
            }
            index += 1
        }
        return SealedDatabase.newestOpeningFailure.map { failure in
            guard failure.code == .notUnlocked else { return worded(failure) }
            return worded(failure) + "; SELECT sealite_unlock_key_file('DATABASE', 'KEY FILE') unlocks it"
        }
    }
}

private func version(_ context: OpaquePointer?, _ count: CInt, _ values: SQLValues) {
    unsafe answer(context, values) { _ in SealiteVersion.line }
}

import CSQLite
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
        unsafe try add("sealite_unlock_key_fd", 2, unlockByKeyDescriptor, to: connection)
        unsafe try add("sealite_unlock_recovery_key_fd", 2, unlockByRecoveryKeyDescriptor, to: connection)
        unsafe try add("sealite_lock", 1, lock, to: connection)
        unsafe try add("sealite_allow_plain_copies", 1, allowPlainCopies, to: connection)
        unsafe try add("sealite_failure", 0, failure, to: connection)
        unsafe try add("sealite_failure", 1, failureOfPath, to: connection)
        unsafe try add("sealite_version", 0, version, to: connection)
    }

    private static func add(
        _ name: String, _ argumentCount: CInt, _ body: CFunction, to connection: OpaquePointer
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

/// Unlocks a file with a raw key, which is read from a file descriptor of the host up to its end.
private func unlockByKeyDescriptor(_ context: OpaquePointer?, _ count: CInt, _ values: SQLValues) {
    unsafe answer(context, values) { (arguments) throws(SealedFileError) in
        let path = try arguments.text(0, "the path of the database")
        let key = try SecretFile.descriptor(try arguments.descriptor(1)).rawKey()
        return try UnlockedFiles.unlock(path, with: .rawKey(key)).uri
    }
}

/// Unlocks a file with a recovery key, which is read from a file descriptor of the host up to its end.
private func unlockByRecoveryKeyDescriptor(_ context: OpaquePointer?, _ count: CInt, _ values: SQLValues) {
    unsafe answer(context, values) { (arguments) throws(SealedFileError) in
        let path = try arguments.text(0, "the path of the database")
        let key = try SecretFile.descriptor(try arguments.descriptor(1)).recoveryKey()
        return try UnlockedFiles.unlock(path, with: .recoveryKey(key)).uri
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

/// Allows or refuses the shell's plain copies (`PlainCopies`). Returns what holds from then on.
private func allowPlainCopies(_ context: OpaquePointer?, _ count: CInt, _ values: SQLValues) {
    unsafe answer(context, values) { (arguments) throws(SealedFileError) in
        let isAllowed = try arguments.flag(0, "whether plain copies are allowed")
        PlainCopies.allow(isAllowed)
        return isAllowed ? "allowed" : "refused"
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

/// Returns to SQLite the reason for which the database at a path couldn't be opened, or for the last failure on a
/// connection to it that was closed since; otherwise NULL.
private func failureOfPath(_ context: OpaquePointer?, _ count: CInt, _ values: SQLValues) {
    unsafe answer(context, values) { (arguments) throws(SealedFileError) in
        SealedDatabase.failure(opening: try arguments.text(0, "the path of the database")).map(worded)
    }
}

private func version(_ context: OpaquePointer?, _ count: CInt, _ values: SQLValues) {
    unsafe answer(context, values) { _ in SealiteVersion.line }
}

/// The arguments of a call of an SQL function, as SQLite passes them.
typealias SQLValues = UnsafeMutablePointer<OpaquePointer?>?

/// A C function that SQLite calls for an SQL function. <https://sqlite.org/c3ref/create_function.html>
typealias CFunction = @convention(c) (OpaquePointer?, CInt, SQLValues) -> Void

/// Runs the body of an SQL function, and passes to SQLite the text that it returns, NULL for nil, or the error that it
/// throws.
func answer(
    _ context: OpaquePointer?, _ values: SQLValues, _ body: (CallArguments) throws(SealedFileError) -> String?
) {
    do throws(SealedFileError) {
        guard let text = unsafe try body(CallArguments(values)) else { return unsafe sqlite3_result_null(context) }
        unsafe sealite_result_text(context, text, CInt(text.utf8.count))
    } catch {
        let text = worded(error)
        unsafe sqlite3_result_error(context, text, CInt(text.utf8.count))
        if error.code == .busy { unsafe sqlite3_result_error_code(context, SQLITE_BUSY) }
    }
}

/// Returns an error as one line that starts with its code, for programs that receive only a message.
func worded(_ error: SealedFileError) -> String { "\(error.code.rawValue): \(error)" }

/// The arguments of a call of an SQL function. <https://sqlite.org/c3ref/value_blob.html>
@safe struct CallArguments {
    private let values: SQLValues

    init(_ values: SQLValues) { unsafe self.values = unsafe values }

    /// Returns the argument at an index as text; throws `SealedFileError` if it is NULL, empty or has a NUL character.
    /// `what` names the argument in the error.
    func text(_ index: Int, _ what: String) throws(SealedFileError) -> String {
        let value = unsafe values?[index]
        guard let bytes = unsafe sqlite3_value_text(value) else {
            throw SealedFileError(.invalidArgument, "\(what) is NULL")
        }
        let count = unsafe Int(sqlite3_value_bytes(value))
        let text = unsafe String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
        guard !text.isEmpty, !text.utf8.contains(0) else {
            throw SealedFileError(.invalidArgument, "\(what) is empty or contains a NUL character")
        }
        return text
    }

    /// Returns the argument at an index as a Boolean value; throws `SealedFileError` if it is neither 0 nor 1. `what` names
    /// the argument in the error.
    func flag(_ index: Int, _ what: String) throws(SealedFileError) -> Bool {
        let value = unsafe values?[index]
        let number = unsafe sqlite3_value_type(value) == SQLITE_INTEGER ? sqlite3_value_int64(value) : -1
        guard number == 0 || number == 1 else {
            throw SealedFileError(.invalidArgument, "\(what) is neither 0 nor 1")
        }
        return number == 1
    }

    /// Returns the argument at an index as a file descriptor; throws `SealedFileError` if it isn't an integer of at
    /// least 0.
    func descriptor(_ index: Int) throws(SealedFileError) -> CInt {
        let value = unsafe values?[index]
        guard unsafe sqlite3_value_type(value) == SQLITE_INTEGER,
            let descriptor = unsafe CInt(exactly: sqlite3_value_int64(value)), descriptor >= 0
        else { throw SealedFileError(.invalidArgument, "the file descriptor isn't an integer from 0 to \(CInt.max)") }
        return descriptor
    }
}

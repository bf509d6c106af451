internal import CTestVFS

/// Runs `body` with `PRAGMA secure_delete=OFF` on each connection that it opens on this thread.
///
/// SQLite's own default, as other distributions and vendored libraries have it. Debian's library has it on, which hides what
/// happens to pages that are freed without being written.
package func withSecureDeleteOff<R>(_ body: () throws -> R) throws -> R {
    try ResultCode.check(ctestvfs_secure_delete_off(1))
    defer { _ = ctestvfs_secure_delete_off(0) }
    return try body()
}

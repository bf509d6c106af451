import CSQLite
import Glibc
import SealiteFile

/// The source of a copy: a plain or sealed database, which isn't changed.
struct CopySource {
    let uri: String
    let path: String

    /// Copies the database to a file that still has its temporary name.
    func copy(
        to destination: NewFile, at place: CopyFiles, pageSize: Int?, progress: @escaping CopyProgressHandler
    ) throws(SealedFileError) -> CopyReport {
        let hadLog = FilePermissions.size(of: path + "-wal") > 0
        defer { if !hadLog { removeEmptyLog() } }
        let copier = DatabaseCopier(
            source: try RawConnection(uri: uri, path: path, flags: SQLITE_OPEN_READONLY),
            destination: destination, place: place, pageSize: pageSize, progress: progress)
        return try copier.copy()
    }

    /// Removes the empty WAL that a read-only connection creates beside a database in WAL mode and doesn't remove. A
    /// connection that may write removes it by SQLite's own rules, unless another connection has the file open.
    private func removeEmptyLog() {
        let log = path + "-wal"
        guard FilePermissions.exists(log), FilePermissions.size(of: log) == 0 else { return }
        _ = try? RawConnection(uri: uri, path: path).integer("SELECT count(*) FROM sqlite_schema")
    }
}

internal import CSQLite
import Glibc
import SealiteCrypto
internal import SealiteFile

/// Examines a database's files through the file system without opening them.
enum FileAudit {
    private static let suffixes: [(String, AuditedFile.Role)] = [
        ("", .database), ("-wal", .wal), ("-journal", .journal), ("-shm", .sharedMemory), ("-rotate", .rotation),
    ]

    /// Returns the existing files and their folder.
    static func files(of path: String) -> [AuditedFile] {
        let files = suffixes.compactMap { suffix, role in describe(path + suffix, role) }
        return files + [describe(FilePath.folder(of: path), .folder)].compactMap { $0 }
    }

    private static func describe(_ path: String, _ role: AuditedFile.Role) -> AuditedFile? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        let octal = String(status.st_mode & 0o7777, radix: 8)
        return AuditedFile(
            path: path, role: role, mode: String(repeating: "0", count: max(0, 3 - octal.count)) + octal,
            owner: status.st_uid, byteCount: role == .folder ? 0 : Int64(status.st_size),
            concern: concern(status, role))
    }

    private static func concern(_ status: stat, _ role: AuditedFile.Role) -> String? {
        let isForeign = status.st_uid != geteuid() && status.st_uid != 0
        if role == .folder {
            let others = status.st_mode & (S_IWGRP | S_IWOTH)
            guard others == 0 || status.st_mode & S_ISVTX != 0 else {
                return "others may rename and delete files in it"
            }
            return isForeign ? "it belongs to another user" : nil
        }
        if status.st_mode & S_IFMT != S_IFREG { return "it isn't a regular file" }
        if status.st_mode & (S_IWGRP | S_IWOTH) != 0 { return "others may write to it" }
        if status.st_mode & (S_IRGRP | S_IROTH) != 0 { return "others may read it" }
        return isForeign ? "it belongs to another user" : nil
    }

    /// Returns the files that crashes left. `journal` is the kind of the rollback journal; nil if it isn't left over.
    static func leftovers(of path: String, journal: AbandonedFile.Kind?, isRotating: Bool) -> [AbandonedFile] {
        var found = temporaryFiles(of: path)
        if let journal, let file = leftover(path + "-journal", journal) { found.append(file) }
        if !isRotating, let sidecar = leftover(path + "-rotate", .rotationSidecar) { found.append(sidecar) }
        return found
    }

    private static func leftover(_ path: String, _ kind: AbandonedFile.Kind) -> AbandonedFile? {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return nil }
        return AbandonedFile(path: path, kind: kind, byteCount: Int64(status.st_size))
    }

    /// Returns temporary files in the folder that no process is writing: files that never got their names, and second
    /// names of complete files.
    private static func temporaryFiles(of path: String) -> [AbandonedFile] {
        AbandonedFiles.list(beside: path).compactMap { leftover($0, .temporaryFile) }
    }
}

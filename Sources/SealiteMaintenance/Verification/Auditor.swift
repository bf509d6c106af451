import CSQLite
import Glibc
import SealiteCrypto
public import SealiteFile

extension SealedDatabase {
    /// Looks at what an auditor would: parameters, slots and epoch; whether any nonce was used twice over all pages, WAL
    /// frames and journal units; who may read or write the files; what crashes left beside them.
    ///
    /// The audit changes nothing, opens no connection, and plays no journal back. Memory stays below 40 MiB.
    ///
    /// - Parameter progress: called on this thread, some hundred times per gigabyte.
    /// - Returns: the findings.
    /// - Throws: `SealedFileError`: what keeps it from reading: `permission`, `noSuchFile`, `locked`, `inputOutput`.
    public func audit(
        progress: (VerificationProgress) -> Void = { _ in }
    ) throws(SealedFileError) -> AuditReport {
        let header = try publicHeader()
        let nonces = try auditNonces(progress)
        return AuditReport(
            path: path, header: header, nonces: nonces, files: FileAudit.files(of: path),
            leftovers: FileAudit.leftovers(of: path, hasHotJournal: try hasHotJournal(), isRotating: header.isRotating))
    }

    private func auditNonces(_ progress: (VerificationProgress) -> Void) throws(SealedFileError) -> NonceSummary {
        var handles: [(kind: NonceSourceFile.Kind, handle: BaseHandle, suffix: String)] = []
        handles.append((.pages, try BaseHandle(path, vfs: vfs.base, flags: SQLITE_OPEN_READONLY), ""))
        if let wal = try sidecar("-wal", kind: SQLITE_OPEN_WAL) { handles.append((.frames, wal, "-wal")) }
        if let journal = try sidecar("-journal", kind: SQLITE_OPEN_MAIN_JOURNAL) {
            handles.append((.units, journal, "-journal"))
        }
        return try SealedFileError.mapping { () throws(VFSFailure) in
            var sources: [NonceSourceFile] = []
            for (kind, handle, suffix) in handles {
                let allocated = FilePermissions.allocatedByteCount(of: path + suffix)
                sources.append(try NonceSourceFile(kind, handle, pageSize: pageSize, allocated: allocated))
            }
            var audit = NonceAudit(sources)
            try audit.run { progress(VerificationProgress(phase: .nonces, done: $0, total: $1)) }
            return audit.summary
        }
    }

    /// Returns whether the next connection that may write has a journal to play back.
    private func hasHotJournal() throws(SealedFileError) -> Bool {
        guard let journal = try sidecar("-journal", kind: SQLITE_OPEN_MAIN_JOURNAL) else { return false }
        let main = try BaseHandle(path, vfs: vfs.base, flags: SQLITE_OPEN_READONLY)
        return try SealedFileError.mapping { () throws(VFSFailure) in
            var isReserved: CInt = 0
            unsafe try check(main.file.checkReservedLock(&isReserved))
            guard isReserved == 0 else { return false }
            var scan = JournalCheck(base: journal.file, ring: ring, serialOnDisk: nil)
            try scan.run()
            return scan.summary.state != .finished
        }
    }

    /// A file beside the database, opened through the base VFS; nil where it is absent or empty.
    func sidecar(_ suffix: String, kind: CInt) throws(SealedFileError) -> BaseHandle? {
        guard try BaseHandle.exists(path + suffix, vfs: vfs.base) else { return nil }
        do throws(SealedFileError) {
            let handle = try BaseHandle(path + suffix, vfs: vfs.base, flags: SQLITE_OPEN_READONLY, kind: kind)
            let size = try SealedFileError.mapping { () throws(VFSFailure) in try handle.file.size().get() }
            return size > 0 ? handle : nil
        } catch {
            // Gone since: its transaction ended.
            if error.code == .noSuchFile { return nil }
            throw error
        }
    }
}

/// The file system's view of a database's files, none of which is opened.
enum FileAudit {
    private static let suffixes: [(String, AuditedFile.Role)] = [
        ("", .database), ("-wal", .wal), ("-journal", .journal), ("-shm", .sharedMemory), ("-rotate", .rotation),
    ]

    /// The files that are there, and their folder.
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

    static func leftovers(of path: String, hasHotJournal: Bool, isRotating: Bool) -> [Leftover] {
        var found = temporaryFiles(of: path)
        if hasHotJournal, let journal = leftover(path + "-journal", .hotJournal) { found.append(journal) }
        if !isRotating, let sidecar = leftover(path + "-rotate", .rotationSidecar) { found.append(sidecar) }
        return found
    }

    private static func leftover(_ path: String, _ kind: Leftover.Kind) -> Leftover? {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return nil }
        return Leftover(path: path, kind: kind, byteCount: Int64(status.st_size))
    }

    /// Files of ours in the folder that never got their names, and that no process is writing.
    private static func temporaryFiles(of path: String) -> [Leftover] {
        Leftovers.list(beside: path).compactMap { leftover($0, .temporaryFile) }
    }
}

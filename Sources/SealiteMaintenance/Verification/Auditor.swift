internal import CSQLite
import Glibc
public import SealiteFile

extension SealedDatabase {
    /// Audits the file: parameters, slots and epoch; repeated nonces among all pages, WAL frames and journal units;
    /// owners and permissions of the files; and files left by crashes.
    ///
    /// The audit changes nothing, opens no connection, and rolls no journal back. It uses less than 40 MiB of memory.
    ///
    /// - Parameter progress: called regularly on this thread.
    /// - Returns: a report on the header, the nonces, the files, and what crashes left.
    /// - Throws: `SealedFileError` if the files can't be read: `permission`, `noSuchFile`, `locked`, `inputOutput`.
    public func audit(
        progress: (VerificationProgress) -> Void = { _ in }
    ) throws(SealedFileError) -> AuditReport {
        let header = try publicHeader()
        let nonces = try auditNonces(progress)
        return AuditReport(
            path: path, header: header, nonces: nonces, files: FileAudit.files(of: path),
            leftovers: FileAudit.leftovers(of: path, journal: try abandonedJournal(), isRotating: header.isRotating))
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

    /// Returns the kind of the rollback journal that a crash left; nil if there is none, if it is finished, or if a
    /// transaction uses it.
    private func abandonedJournal() throws(SealedFileError) -> AbandonedFile.Kind? {
        guard let journal = try sidecar("-journal", kind: SQLITE_OPEN_MAIN_JOURNAL) else { return nil }
        let main = try BaseHandle(path, vfs: vfs.base, flags: SQLITE_OPEN_READONLY)
        let serial = try serialOfPageOne(main)
        return try SealedFileError.mapping { () throws(VFSFailure) -> AbandonedFile.Kind? in
            var isReserved: CInt = 0
            unsafe try check(main.file.checkReservedLock(&isReserved))
            guard isReserved == 0 else { return nil }
            var scan = JournalCheck(base: journal.file, ring: ring, serialOnDisk: serial)
            try scan.run()
            switch scan.summary.state {
            case .hot: return .hotJournal
            case .refused: return .refusedJournal
            case .finished, .inUse: return nil
            }
        }
    }

    /// Opens a file beside the database through the base VFS; nil if it is absent or empty.
    func sidecar(_ suffix: String, kind: CInt) throws(SealedFileError) -> BaseHandle? {
        guard try BaseHandle.exists(path + suffix, vfs: vfs.base) else { return nil }
        do throws(SealedFileError) {
            let handle = try BaseHandle(path + suffix, vfs: vfs.base, flags: SQLITE_OPEN_READONLY, kind: kind)
            let size = try SealedFileError.mapping { () throws(VFSFailure) in try handle.file.size().get() }
            return size > 0 ? handle : nil
        } catch {
            // The file has disappeared because its transaction ended.
            if error.code == .noSuchFile { return nil }
            throw error
        }
    }
}

/// The result of `SealedDatabase.audit(progress:)`.
public struct AuditReport: Sendable, Codable, Equatable {
    /// The path of the database.
    public let path: String
    /// The header's public content: parameters, slots and epoch.
    public let header: PublicHeader
    /// The numbers of nonces, and the nonces that occur more than once.
    public let nonces: NonceSummary
    /// The database's files and their folder, with owners and modes.
    public let files: [AuditedFile]
    /// The files that crashes left behind.
    public let leftovers: [AbandonedFile]

    /// A Boolean value that says whether nothing requires action.
    public var isSound: Bool {
        nonces.repeated.isEmpty && files.allSatisfy { $0.concern == nil } && leftovers.isEmpty
            && !header.copies.contains { $0 == .tampered || $0 == .damaged }
    }
}

/// A file of a database, or its folder, as the file system describes it.
public struct AuditedFile: Sendable, Codable, Equatable {
    /// The file's path.
    public let path: String
    /// The file's role.
    public let role: Role
    /// The permission bits in octal, such as "600".
    public let mode: String
    /// The owner's user id.
    public let owner: UInt32
    /// The size in bytes; 0 for the folder.
    public let byteCount: Int64
    /// A problem with the file's type, permissions or owner, in words; nil if there is none.
    public let concern: String?

    /// The roles of files beside a database.
    public enum Role: String, Sendable, Codable {
        /// The database file itself.
        case database
        /// The write-ahead log.
        case wal
        /// The rollback journal of the database.
        case journal
        /// The index of the WAL, shared between processes.
        case sharedMemory = "shm"
        /// The sidecar in which a key rotation stores the pages that it is writing.
        case rotation
        /// The folder that contains the files.
        case folder
    }
}

/// A file that a crash left beside a database.
public struct AbandonedFile: Sendable, Codable, Equatable {
    /// The file's path.
    public let path: String
    /// The kind of file.
    public let kind: Kind
    /// The size of the file in bytes.
    public let byteCount: Int64

    /// The kinds of files that a crash leaves.
    public enum Kind: String, Sendable, Codable {
        /// A file that never got its name because its creation was interrupted, or a second name of a complete file
        /// beside it, whose removal the crash prevented.
        case temporaryFile = "temporary-file"
        /// A rollback journal of an interrupted transaction. The next connection rolls it back.
        case hotJournal = "hot-journal"
        /// A rollback journal that is damaged or stale: it won't be rolled back, and the database can't be opened.
        case refusedJournal = "refused-journal"
        /// The sidecar that a key rotation left, although the header says that no rotation is in progress. The next
        /// rotation uses and removes it.
        case rotationSidecar = "rotation-sidecar"
    }
}

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

import CSQLite
import Glibc
import SealiteCrypto
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

internal import CSQLite
import Glibc
package import SealiteCrypto

/// A file that is created completely or not at all: it is written without a name, or under a temporary name in the same
/// folder, made durable with fsync, and then given its final name.
///
/// A file without a name, a *draft*, is gone if the process is killed. Where the file system has none, or `/proc` isn't
/// mounted, the file gets a temporary name. A flock(2) lock then distinguishes a file that is being written from one that
/// a crash left.
///
/// A caller that opens the file with SQLite must close its connections before the file is published or released, because
/// closing this object's own descriptor would drop SQLite's POSIX locks.
package final class NewFile {
    package let path: String
    /// The path by which the file can be opened before it has its name: that of a descriptor in `/proc`, or a temporary
    /// name.
    package private(set) var temporaryPath: String
    private var descriptor: CInt
    private var isDraft: Bool
    private var isPublished = false

    /// The writer of the file's content: this object, or connections of SQLite.
    package enum Writer {
        /// This object alone.
        case bytes
        /// Connections of SQLite, one after the other, whose VFS is on top of the one named `base`. They reach a draft
        /// only by the VFS that `VFSChoice.reaching(_:)` returns, which replaces those on top of "unix".
        case connection(base: String)
        /// Connections of SQLite that may be open at the same time, for which the file needs a name.
        case connections
    }

    /// The part of a temporary name between the final name and 16 random hex digits, as in
    /// `.notes.db.sealite-tmp-0123456789abcdef`.
    package static let marker = ".sealite-tmp-"

    /// A test hook: false gives every new file a temporary name, as on a file system that has no files without a name.
    @TaskLocal package static var allowsDrafts = allowsDraftsByDefault

    private static var allowsDraftsByDefault: Bool {
        #if DEBUG || SEALITE_TESTS
            unsafe getenv("SEALITE_WITHOUT_DRAFTS") == nil
        #else
            true
        #endif
    }

    /// Creates the file that is to become the file at `path`, with mode 0600. Throws `exists` if anything exists at
    /// `path`, and removes temporary files that crashed processes left for it. With `replacing`, an existing file is
    /// accepted: `publish(keepingOldAs:)` moves it aside, and `publishOverOld()` replaces it.
    package init(
        _ path: String, replacing: Bool = false, writer: Writer = .bytes
    ) throws(SealedFileError) {
        if !replacing { try Self.requireFree(path) }
        guard FilePermissions.isFolder(FilePath.folder(of: path)) else {
            throw SealedFileError(
                .noSuchFile, "\"\(path)\" can't be made: its folder doesn't exist, can't be reached or isn't a folder",
                hint: "make the folder first, or check the permissions of the folders above it")
        }
        AbandonedFiles.remove(for: path)
        self.path = path
        if let draft = Self.createDraft(for: path, writer) {
            (temporaryPath, descriptor, isDraft) = (DraftPath.path(of: draft), draft, true)
        } else {
            (temporaryPath, descriptor) = try Self.createTemporary(for: path)
            isDraft = false
        }
    }

    /// Creates and locks a file without a name; nil if that isn't possible.
    private static func createDraft(for path: String, _ writer: Writer) -> CInt? {
        guard allowsDrafts else { return nil }
        switch writer {
        case .bytes: break
        case .connection(let base): guard base == "unix" else { return nil }
        case .connections: return nil
        }
        guard let descriptor = DraftPath.create(for: path) else { return nil }
        // The lock counts once the file has a temporary name, before it replaces another file.
        _ = flock(descriptor, LOCK_EX | LOCK_NB)
        return descriptor
    }

    /// Creates and locks a temporary file. Before the file is locked, another process that removes abandoned files may
    /// remove it; a further temporary file is then created under another name.
    private static func createTemporary(
        for path: String
    ) throws(SealedFileError) -> (path: String, descriptor: CInt) {
        while true {
            let temporary = try temporaryPath(for: path)
            let descriptor = try TemporaryNames.create(temporary)
            onCreation?(temporary)
            var status = stat()
            // If the file system doesn't support flock(2), no process takes the file for a leftover either.
            let isTaken = flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
            if !isTaken, unsafe fstat(descriptor, &status) == 0, status.st_nlink > 0 {
                return (temporary, descriptor)
            }
            TemporaryNames.remove(temporary)
            close(descriptor)
        }
    }

    /// A test hook called between the creation of a temporary file and its lock, with the temporary path.
    @TaskLocal package static var onCreation: (@Sendable (String) -> Void)?

    /// A completed step of `publish()` or `publishOverOld()`, which gives the file its final name.
    package enum PublicationStep: Sendable {
        /// The content is durable, under the temporary name.
        case synced
        /// The file has its name, but a power failure may still undo that.
        case named
        /// The name is durable.
        case durable
    }

    /// A test hook called after each step of `publish()` and `publishOverOld()`.
    @TaskLocal package static var onPublication: (@Sendable (PublicationStep) -> Void)?

    /// Throws `exists` if anything exists at the path. Callers check this before they ask the user for a secret.
    package static func requireFree(_ path: String) throws(SealedFileError) {
        guard !FilePermissions.exists(path) else {
            throw SealedFileError(.exists, "\"\(path)\" exists already", hint: "choose another name or move it away")
        }
    }

    private static func temporaryPath(for path: String) throws(SealedFileError) -> String {
        let random = try SealedFileError.mappingCrypto { () throws(CryptoError) in try SecureRandom.bytes(8) }
        let temporary = FilePath.folder(of: path) + "." + FilePath.name(of: path) + marker + random.hex
        assert(FilePath.name(of: finalPath(ofTemporary: temporary)) == FilePath.name(of: path))
        return temporary
    }

    /// Returns the path for which a temporary path was made.
    static func finalPath(ofTemporary path: String) -> String {
        assert(FilePath.name(of: path).contains(marker), "the path is a temporary one")
        return FilePath.folder(of: path) + FilePath.name(of: path).dropFirst().dropLast(marker.count + 16)
    }

    deinit {
        if isDraft { DraftPath.forget(descriptor) } else if !isPublished { TemporaryNames.remove(temporaryPath) }
        close(descriptor)
    }

    package func write(_ bytes: [UInt8]) throws(SealedFileError) {
        try unsafe bytes.span.bytes.withUnsafeBytes { (buffer) throws(SealedFileError) in try unsafe write(buffer) }
    }

    /// Writes the bytes of a secret directly from its locked memory.
    package func write(_ secret: borrowing SecretBytes) throws(SealedFileError) {
        try unsafe secret.withUnsafeBytes { (buffer) throws(SealedFileError) in try unsafe write(buffer) }
    }

    private func write(_ buffer: UnsafeRawBufferPointer) throws(SealedFileError) {
        assert(!isPublished, "a published file is complete")
        var done = 0
        while done < buffer.count {
            let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[done...])
            let count = unsafe Glibc.write(descriptor, rest.baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            // Writing nothing sets no error number.
            guard count > 0 else { throw SealedFileError(errno: count < 0 ? errno : EIO, doing: "writing", path) }
            done += count
        }
    }

    /// Discards the content that SQLite wrote under the temporary name, for another attempt. No connection may have the
    /// file open.
    package func empty() throws(SealedFileError) {
        precondition(!isPublished, "a published file is complete")
        guard ftruncate(descriptor, 0) == 0 else { throw SealedFileError(errno: errno, doing: "emptying", path) }
        if !isDraft { TemporaryNames.removeSidecars(temporaryPath) }
    }

    /// Calls fsync on the file, gives it its final name, and calls fsync on the folder. Throws `exists` if another file
    /// got that name meanwhile. After a failure, this file doesn't have its final name. No connection may have the file
    /// open: when the descriptor is closed, SQLite's locks on the file would be dropped.
    package func publish() throws(SealedFileError) {
        assert(!isPublished, "a file gets its name once")
        try syncContent()
        Self.onPublication?(.synced)
        if try !nameDraft(path) {
            try TemporaryNames.naming { () throws(SealedFileError) in
                _ = try Self.addName(path, to: temporaryPath)
            }
        }
        isPublished = true
        Self.onPublication?(.named)
        if !isDraft { TemporaryNames.remove(temporaryPath) }
        do throws(SealedFileError) {
            try Self.syncFolder(of: path)
        } catch {
            // A name that isn't durable doesn't count: the caller retries and must not find the path taken.
            unpublish()
            throw error
        }
        Self.onPublication?(.durable)
    }

    /// Publishes the file like `publish()`, but replaces the existing file, if there is one, which is lost. If this
    /// throws because the name can't be made durable, the new file is at the path nevertheless, but a power failure may
    /// bring the old one back.
    package func publishOverOld() throws(SealedFileError) {
        assert(!isPublished, "a file gets its name once")
        try syncContent()
        Self.onPublication?(.synced)
        try takeTemporaryName()
        try TemporaryNames.naming { () throws(SealedFileError) in
            try NamingCall.rename.make("giving the new file the name", path) { unsafe rename(temporaryPath, path) }
        }
        isPublished = true
        Self.onPublication?(.named)
        TemporaryNames.remove(temporaryPath)
        try Self.syncFolder(of: path)
        Self.onPublication?(.durable)
    }

    private func syncContent() throws(SealedFileError) {
        try NamingCall.sync.make("syncing", path) { fsync(descriptor) }
    }

    // MARK: Drafts

    /// Gives a draft a name, under which no file may exist.
    ///
    /// - Returns: false if the file isn't a draft, or no longer: on a file system that gives files without a name none
    ///   later, it has been copied to a file with a temporary name.
    private func nameDraft(_ name: String) throws(SealedFileError) -> Bool {
        guard isDraft else { return false }
        assert(DraftPath.descriptor(of: temporaryPath) == descriptor, "a draft is reached by its descriptor")
        var number: CInt = 0
        try TemporaryNames.naming { () throws(SealedFileError) in
            number = NamingCall.link.number {
                unsafe linkat(AT_FDCWD, temporaryPath, AT_FDCWD, name, AT_SYMLINK_FOLLOW)
            }
        }
        if number == 0 { return true }
        guard [EPERM, EOPNOTSUPP, ENOSYS, EXDEV].contains(number) else {
            throw SealedFileError(errno: number, doing: "giving the new file the name", name)
        }
        try copyToTemporary()
        return false
    }

    /// Gives a draft a temporary name, from which it can be renamed over another file.
    private func takeTemporaryName() throws(SealedFileError) {
        guard isDraft else { return }
        let name = try Self.temporaryPath(for: path)
        try TemporaryNames.adopt(name) { () throws(SealedFileError) in try nameDraft(name) }
        guard isDraft else { return }
        DraftPath.forget(descriptor)
        (temporaryPath, isDraft) = (name, false)
    }

    /// Replaces the draft by a copy that has a temporary name.
    private func copyToTemporary() throws(SealedFileError) {
        assert(isDraft, "a file with a name needn't be copied")
        let (name, copy) = try Self.createTemporary(for: path)
        let draft = descriptor
        DraftPath.forget(draft)
        (temporaryPath, descriptor, isDraft) = (name, copy, false)
        defer { close(draft) }
        guard lseek(draft, 0, SEEK_SET) == 0 else { throw SealedFileError(errno: errno, doing: "reading", path) }
        try copyContent(of: draft, path)
        try syncContent()
    }

    /// Appends the content of another open file, from its current position.
    private func copyContent(of source: CInt, _ sourcePath: String) throws(SealedFileError) {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe Glibc.read(source, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw SealedFileError(errno: errno, doing: "reading", sourcePath) }
            if count == 0 { return }
            try write(Array(buffer[..<count]))
        }
    }

    /// Gives a file a second name, under which no file may exist. On a file system without hard links, such as that of
    /// a memory stick, renames the file.
    ///
    /// - Returns: true if the file has both names.
    private static func addName(_ name: String, to file: String) throws(SealedFileError) -> Bool {
        let number = NamingCall.link.number { unsafe link(file, name) }
        guard [EPERM, EOPNOTSUPP, ENOSYS].contains(number) else {
            guard number == 0 else { throw SealedFileError(errno: number, doing: "giving the new file the name", name) }
            return true
        }
        try NamingCall.rename.make("giving the new file the name", name) { unsafe sealite_rename_new(file, name) }
        return false
    }

    /// Removes a published file because the operation that created it failed. A file that has replaced it since stays.
    package func unpublish() {
        guard isPublished else { return }
        isPublished = false
        var (ours, there) = (stat(), stat())
        guard unsafe fstat(descriptor, &ours) == 0, unsafe lstat(path, &there) == 0, ours.st_dev == there.st_dev,
            ours.st_ino == there.st_ino
        else { return }
        unsafe unlink(path)
        try? Self.syncFolder(of: path)
    }

    /// Publishes the file like `publish()`, but replaces an existing file, whose mode it takes over and which is kept
    /// under `keptPath`. At any time the old or the new file is at the final path; after a failure it is the old file,
    /// and `keptPath` doesn't exist. The caller must ensure that no other process uses the path meanwhile.
    ///
    /// On a file system without hard links no file is at the final path for a moment: a crash then leaves the old file
    /// under `keptPath` alone.
    package func publish(keepingOldAs keptPath: String) throws(SealedFileError) {
        precondition(keptPath != path, "the old file is kept under another name")
        assert(!isPublished, "a file gets its name once")
        var status = stat()
        guard unsafe stat(path, &status) == 0, fchmod(descriptor, status.st_mode & 0o777) == 0 else {
            throw SealedFileError(errno: errno, doing: "giving the new file the permissions of", path)
        }
        try syncContent()
        try takeTemporaryName()
        let isStillThere = try Self.addName(keptPath, to: path)
        assert(!isDraft, "only a file with a name is renamed")
        do throws(SealedFileError) {
            try Self.syncFolder(of: path)
            try NamingCall.rename.make("giving the new file the name", path) { unsafe rename(temporaryPath, path) }
        } catch {
            _ = unsafe isStillThere ? unlink(keptPath) : rename(keptPath, path)
            throw error
        }
        isPublished = true
        TemporaryNames.remove(temporaryPath)
        do throws(SealedFileError) {
            try Self.syncFolder(of: path)
        } catch {
            unsafe rename(keptPath, path)
            throw error
        }
    }

    /// Copies a file that isn't a database to a new name and syncs it. For a database, the close would drop SQLite's
    /// locks.
    package static func copy(_ source: String, to path: String) throws(SealedFileError) {
        let input = unsafe Glibc.open(source, O_RDONLY | O_CLOEXEC)
        guard input >= 0 else { throw SealedFileError(errno: errno, doing: "opening", source) }
        defer { close(input) }
        let copy = try NewFile(path)
        try copy.copyContent(of: input, source)
        try copy.publish()
    }

    /// Makes the file names in a file's folder durable with fsync.
    package static func syncFolder(of path: String) throws(SealedFileError) {
        let folder = unsafe Glibc.open(FilePath.folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw SealedFileError(errno: errno, doing: "opening the folder of", path) }
        defer { close(folder) }
        let number = NamingCall.syncFolder.number { fsync(folder) }
        // Some file systems can't sync a folder and return EINVAL: nothing remains to be done.
        guard number == 0 || number == EINVAL else {
            throw SealedFileError(errno: number, doing: "syncing the folder of", path)
        }
    }
}

/// The system calls that give a temporary file its final name, each of which can be made to fail by `failure`.
package enum NamingCall: Sendable {
    case sync, link, rename, syncFolder

    /// A test hook consulted before each call: returns the `errno` to fail with, or nil to make the call.
    @TaskLocal package static var failure: (@Sendable (NamingCall) -> CInt?)?

    /// Makes the call, unless the test hook injects a failure. Returns 0 on success, otherwise the value of `errno`.
    func number(_ call: () -> CInt) -> CInt {
        if let number = Self.failure?(self) { return number }
        return call() == 0 ? 0 : errno
    }

    func make(_ what: String, _ path: String, _ call: () -> CInt) throws(SealedFileError) {
        let result = number(call)
        guard result == 0 else { throw SealedFileError(errno: result, doing: what, path) }
    }
}

/// The identity of a file: device, inode and creation time. Another file that is later put at the same path differs in
/// at least one of the three.
package struct FileBirth: Sendable, Hashable {
    /// The number of the file system's device, which can change when the system is restarted.
    package let device: UInt64
    package let inode: UInt64
    package let seconds: Int64
    package let nanoseconds: UInt32

    /// Reads the identity of the file at a path without opening the file; nil if there is no such file, or if its file
    /// system doesn't record creation times.
    package init?(ofFileAt path: String) {
        var (device, inode) = (CUnsignedLongLong(), CUnsignedLongLong())
        var (seconds, nanoseconds) = (CLongLong(), CUnsignedInt())
        guard unsafe sealite_file_birth(path, &device, &inode, &seconds, &nanoseconds) == 0,
            seconds != 0 || nanoseconds != 0
        else { return nil }
        (self.device, self.inode, self.seconds, self.nanoseconds) = (device, inode, seconds, nanoseconds)
    }
}

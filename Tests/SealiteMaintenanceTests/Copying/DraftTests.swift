import CSQLite
import Glibc
import SealiteCrypto
import SealiteFileTestSupport
import Synchronization
import Testing

@testable import SealiteFile
@testable import SealiteMaintenance

/// New files that have no name until they are complete.
@Suite("new files without a name", .enabled(if: Drafts.work))
struct DraftTests {
    private let folder: Folder

    init() throws { folder = try Folder() }

    /// The steps of a publication, with the names in the folder at each.
    private func names(_ body: () throws -> Void) throws -> [[String]] {
        let folder = folder
        let found = Mutex<[[String]]>([])
        try NewFile.$onPublication.withValue({ _ in found.withLock { $0.append(folder.names) } }, operation: body)
        return found.withLock { $0 }
    }

    @Test("a file of bytes has no name before it is complete, and the same content and mode as one with a name")
    func bytes() throws {
        let steps = try names {
            let file = try NewFile(folder.file("new"))
            try file.write([1, 2, 3])
            #expect(folder.names.isEmpty)
            try file.publish()
        }
        #expect(steps == [[], ["new"], ["new"]])
        #expect(try RawFile.read(folder.file("new")) == [1, 2, 3])
        var status = stat()
        #expect(unsafe stat(folder.file("new"), &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(status.st_nlink == 1)
    }

    @Test("an existing file is never replaced, also one that appears meanwhile, and a folder isn't either")
    func existing() throws {
        let file = try NewFile(folder.file("new"))
        try file.write([1])
        try RawFile.write([9], to: folder.file("new"))
        #expect(throws: SealedFileError(.exists, "")) { try file.publish() }
        #expect(try RawFile.read(folder.file("new")) == [9])
        let other = try NewFile(folder.file("other"))
        #expect(unsafe mkdir(folder.file("other"), 0o700) == 0)
        #expect(throws: SealedFileError(.exists, "")) { try other.publish() }
        #expect(folder.names == ["new", "other"])
    }

    @Test("a file that replaces another has a temporary name only when it is complete, and none afterwards")
    func replacing() throws {
        try RawFile.write([9], to: folder.file("state"))
        let steps = try names { try StateFile.replace(folder.file("state"), with: [1, 2]) }
        #expect(steps == [["state"], ["state"], ["state"]])
        #expect(try RawFile.read(folder.file("state")) == [1, 2])
    }

    @Test("what isn't published is gone with the object")
    func released() throws {
        do { try NewFile(folder.file("new")).write([1]) }
        #expect(folder.names.isEmpty)
    }

    @Test("a file system that names no such file gets a copy under a temporary name, with the same content")
    func namelessForGood() throws {
        let failure: @Sendable (NamingCall) -> CInt? = { $0 == .link ? EOPNOTSUPP : nil }
        let bytes = [UInt8](repeating: 7, count: 200_000)
        try NamingCall.$failure.withValue(failure) {
            let file = try NewFile(folder.file("new"))
            try file.write(bytes)
            try file.publish()
            try StateFile.replace(folder.file("state"), with: bytes)
            try StateFile.replace(folder.file("state"), with: bytes.reversed() + [1])
        }
        #expect(try RawFile.read(folder.file("new")) == bytes)
        #expect(try RawFile.read(folder.file("state")) == bytes + [1])
        #expect(folder.names == ["new", "state"])
    }

    /// The calls by which SQLite writes a file that has no name yet.
    enum Maker: String, CaseIterable {
        case createFilled, encrypt, decrypt, backup, backupWithNewSlot, restore, salvage
    }

    @Test(
        "each way to a database leaves no name before its own, in both journal modes", arguments: Maker.allCases,
        ["WAL", "DELETE"])
    func databases(maker: Maker, mode: String) throws {
        // With a CHECK constraint beside an index, so that the copy is made twice.
        let sql = "CREATE TABLE checked(a INTEGER CHECK (a > 0), b); CREATE INDEX i ON checked(b)"
        try folder.create(mode: mode, rows: 300).connect().execute("\(sql); INSERT INTO checked VALUES (1, 2)")
        let plain = folder.file("plain.db")
        do {
            let connection = try RawConnection(uri: "file:\(plain)", path: plain, flags: 6)
            try connection.execute("PRAGMA journal_mode=\(mode)")
            try connection.execute("CREATE TABLE notes(id INTEGER PRIMARY KEY, body TEXT); \(sql)")
            try connection.addNotes(300)
        }
        let before = folder.names
        let place = folder.file("new")
        let seen = Mutex<Set<String>>([])
        let folder = folder
        @Sendable func look() {
            seen.withLock { $0.formUnion(folder.names.filter { !$0.hasPrefix("a.db") && !$0.hasPrefix("plain.db") }) }
        }
        try NewFile.$onPublication.withValue({ step in if step == .synced { look() } }) {
            switch maker {
            case .createFilled:
                _ = try SealedDatabase.create(place, slot: .rawKey(rawKey(7)), options: CreationOptions()) {
                    (connection) throws(SealedFileError) in
                    try connection.execute("PRAGMA journal_mode=\(mode)")
                    try connection.execute("CREATE TABLE notes(id INTEGER PRIMARY KEY, body TEXT)")
                    try connection.addNotes(300)
                    look()
                }
            case .encrypt:
                _ = try SealedDatabase.encrypt(plain: plain, to: place, slot: .rawKey(rawKey(7))) { _ in
                    look()
                    return true
                }
            case .decrypt:
                _ = try folder.open().decrypt(to: place) { _ in
                    look(); return true
                }
            case .backup:
                _ = try folder.open().backup(to: place) { _ in
                    look(); return true
                }
            case .backupWithNewSlot:
                _ = try folder.open().backup(to: place, slot: .rawKey(rawKey(7))) { _ in
                    look(); return true
                }
            case .restore:
                _ = try SealedDatabase.restore(backup: folder.file("a.db"), key: .rawKey(rawKey(7)), to: place) { _ in
                    look()
                    return true
                }
            case .salvage:
                _ = try folder.open().salvage(to: place) { _ in
                    look(); return true
                }
            }
        }
        #expect(seen.withLock { $0 } == [])
        #expect(Set(folder.names) == Set(before + ["new"]))
        if maker == .decrypt {
            let connection = try RawConnection(uri: "file:\(place)", path: place)
            #expect(try connection.integer("SELECT count(*) FROM notes") == 300)
            #expect(try connection.text("PRAGMA integrity_check") == "ok")
            #expect(try connection.text("PRAGMA journal_mode")?.uppercased() == mode)
        } else {
            let made = try SealedDatabase.open(place, key: .rawKey(rawKey(7)))
            #expect(try made.verify().isSound)
            let connection = try made.connect()
            #expect(try connection.integer("SELECT count(*) FROM notes") == 300)
            if maker != .salvage { #expect(try connection.text("PRAGMA journal_mode")?.uppercased() == mode) }
        }
    }

    @Test("SQLite opens no other descriptor of the process by the VFS of such files")
    func otherDescriptors() throws {
        _ = try NewFile(folder.file("new"), writer: .connection(base: VFSChoice.standard.base))
        try RawFile.write([1, 2, 3], to: folder.file("other"))
        let other = unsafe open(folder.file("other"), O_RDWR | O_CLOEXEC)
        defer { close(other) }
        for path in ["/proc/self/fd/\(other)", folder.file("other"), "/proc/self/fd/0\(other)"] {
            #expect(throws: SealedFileError.self) {
                try RawConnection(uri: "file:\(path)?vfs=sealite-unnamed", path: path).execute("CREATE TABLE t(x)")
            }
        }
        #expect(try RawFile.read(folder.file("other")) == [1, 2, 3])
    }
}

/// Whether the folder of the tests has files without a name.
enum Drafts {
    static let work: Bool = {
        guard let folder = try? Folder(), let descriptor = DraftPath.create(for: folder.file("new")) else {
            print("SKIPPED: the folder of tests has no files without a name (O_TMPFILE), so tests of them don't run")
            return false
        }
        DraftPath.forget(descriptor)
        close(descriptor)
        return true
    }()
}

import Glibc
import SealiteCrypto
import SealiteFileTestSupport
import Synchronization
import Testing

@testable import SealiteFile
@testable import SealiteMaintenance

/// Every way to a new file, with each of the calls that give it its name failing in turn.
@Suite("a file that can't be named")
struct PublicationFaultTests {
    enum Maker: String, CaseIterable {
        case create, createFilled, encrypt, decrypt, backup, backupWithNewSlot, restore, salvage, headerBackup
        case restoreInPlace, restoreWithoutLinks

        /// The name of the file that is made.
        var target: String { self == .restoreInPlace || self == .restoreWithoutLinks ? "live.db" : "new" }
    }

    private let folder: Folder

    init() throws {
        folder = try Folder()
        do { try folder.create(mode: "DELETE", rows: 30) }
        let plain = try RawConnection(
            uri: "file:\(folder.file("plain.db"))", path: "plain.db", flags: 6 /* read, write, create */)
        try plain.execute("CREATE TABLE notes(id INTEGER PRIMARY KEY, body TEXT)")
        try plain.addNotes(30)
    }

    private func make(_ maker: Maker) throws {
        let place = folder.file("new")
        switch maker {
        case .create: _ = try SealedDatabase.create(place, slot: .rawKey(rawKey(7)))
        case .createFilled:
            _ = try SealedDatabase.create(place, slot: .rawKey(rawKey(7)), options: CreationOptions()) {
                (connection) throws(SealedFileError) in try connection.execute("CREATE TABLE t(x)")
            }
        case .encrypt:
            _ = try SealedDatabase.encrypt(plain: folder.file("plain.db"), to: place, slot: .rawKey(rawKey(7)))
        case .decrypt: _ = try folder.open().decrypt(to: place)
        case .backup: _ = try folder.open().backup(to: place)
        case .backupWithNewSlot: _ = try folder.open().backup(to: place, slot: .rawKey(rawKey(8)))
        case .restore: try restore(to: "new")
        case .salvage: _ = try folder.open().salvage(to: place)
        case .headerBackup: _ = try SealedDatabase.backUpHeader(of: folder.file("a.db"), to: place)
        case .restoreInPlace, .restoreWithoutLinks: try restore(to: maker.target)
        }
    }

    private func restore(to name: String) throws {
        _ = try SealedDatabase.restore(
            backup: folder.file("a.db"), key: .rawKey(rawKey(7)), to: folder.file(name),
            options: RestoreOptions(replacesExisting: name == "live.db"))
    }

    /// A database in the place to be taken, with a log that a crash left.
    private func occupy() throws {
        let connection = try folder.create("live.db", mode: "WAL", seed: 9, rows: 5).connect()
        connection.keepWALOnClose()
        try connection.addNotes(5)
    }

    /// Lets the n-th call fail; false where fewer are made. Without links, the calls that make links fail and don't count.
    private func fails(
        _ number: Int, _ error: CInt, withoutLinks: Bool, _ body: () throws -> Void
    ) throws -> Bool {
        let count = Mutex(0)
        let failure: @Sendable (NamingCall) -> CInt? = { call in
            if withoutLinks, call == .link { return EPERM }
            return count.withLock { count in
                count += 1
                return count == number ? error : nil
            }
        }
        try NamingCall.$failure.withValue(failure, operation: body)
        return count.withLock { $0 >= number }
    }

    @Test(
        "a file that can't be named leaves nothing behind, is an error of its class, and the next attempt succeeds",
        arguments: Maker.allCases,
        [(EIO, SealedFileError.Code.inputOutput), (ENOSPC, .diskFull), (EACCES, .permission)])
    func faults(maker: Maker, fault: (number: CInt, code: SealedFileError.Code)) throws {
        try faults(maker, fault)
    }

    @Test(
        "with a temporary name, leaves nothing behind, and the next attempt succeeds", arguments: Maker.allCases,
        [(EIO, SealedFileError.Code.inputOutput)])
    func faultsOfNamed(maker: Maker, fault: (number: CInt, code: SealedFileError.Code)) throws {
        try NewFile.$allowsDrafts.withValue(false) { try faults(maker, fault) }
    }

    private func faults(_ maker: Maker, _ fault: (number: CInt, code: SealedFileError.Code)) throws {
        if maker.target == "live.db" { try occupy() }
        let before = try folder.contents()
        var told = 0
        for number in 1... {
            var error: SealedFileError?
            let hasFailed = try fails(number, fault.number, withoutLinks: maker == .restoreWithoutLinks) {
                do { try make(maker) } catch let caught as SealedFileError { error = caught }
            }
            guard hasFailed else {
                #expect(error == nil)
                break
            }
            // What comes after the file has its name for good may be left undone without a word.
            guard let error else { continue }
            told += 1
            #expect(error.code == fault.code, "call \(number): \(error)")
            #expect(try folder.contents() == before, "call \(number) changed \(folder.names)")
        }
        #expect(told >= (maker.target == "live.db" ? 8 : 3))
        #expect(!folder.names.contains { $0.contains(NewFile.marker) })
        #expect(folder.names.contains(maker.target))
    }

    @Test("on a file system without hard links gets its name all the same, and never another file's")
    func noHardLinks() throws {
        let failure: @Sendable (NamingCall) -> CInt? = { $0 == .link ? EPERM : nil }
        try NamingCall.$failure.withValue(failure) {
            try make(.backup)
            #expect(throws: SealedFileError(.exists, "")) {
                let file = try NewFile(folder.file("other"))
                try RawFile.write([1], to: folder.file("other"))
                try file.publish()
            }
        }
        #expect(try folder.open("new").verify().isSound)
        #expect(try RawFile.read(folder.file("other")) == [1])
        #expect(!folder.names.contains { $0.contains(NewFile.marker) })
    }

    @Test("on a file system without hard links a database is replaced all the same, and kept with its log")
    func replacedWithoutLinks() throws {
        try occupy()
        let failure: @Sendable (NamingCall) -> CInt? = { $0 == .link ? EPERM : nil }
        try NamingCall.$failure.withValue(failure) { try make(.restoreInPlace) }
        #expect(try folder.open("live.db").connect().integer("SELECT count(*) FROM notes") == 30)
        let kept = try #require(folder.names.first { $0.hasPrefix("live.db.replaced-") && !$0.hasSuffix("-wal") })
        #expect(try folder.open(kept, seed: 9).connect().integer("SELECT count(*) FROM notes") == 10)
    }

    @Test("a folder that its file system can't sync is no error")
    func folderWithoutSync() throws {
        let failure: @Sendable (NamingCall) -> CInt? = { $0 == .syncFolder ? EINVAL : nil }
        try NamingCall.$failure.withValue(failure) { try make(.backup) }
        #expect(try folder.open("new").verify().isSound)
    }
}

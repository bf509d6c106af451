import CSQLite
import SealiteCrypto
import SealiteFileTestSupport
import SealiteMaintenance
import SealiteTestSupport
import Testing

@testable import SealiteFile

@Suite("what a sealed file tells SQLite about itself")
struct HandleRulesTests {
    private let folder: Folder
    init() throws { folder = try Folder() }

    @Test("no atomic writes, no safe append, no sequential writes, whatever lies below; and no mapped pages")
    func capabilities() throws {
        let connection = try folder.create().connect()
        var file: UnsafeMutablePointer<sqlite3_file>?
        #expect(
            unsafe sqlite3_file_control(connection.handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK)
        let methods = unsafe try #require(unsafe file?.pointee.pMethods)
        #expect(unsafe methods.pointee.xDeviceCharacteristics(file) == SQLITE_IOCAP_POWERSAFE_OVERWRITE)
        #expect(unsafe methods.pointee.iVersion == 2 && methods.pointee.xFetch == nil)
    }

    @Test("psow=0 is refused with the reason, and psow=1 is taken")
    func powersafeOverwrite() throws {
        let database = try folder.create()
        let path = folder.file("a.db")
        let error = #expect(throws: SealedFileError.self) {
            try RawConnection(uri: database.uri + "&psow=0", path: path)
        }
        #expect(error?.code == .refused && error?.reason.contains("psow") == true)
        #expect(try RawConnection(uri: database.uri + "&psow=1", path: path).integer("SELECT count(*) FROM notes") > 0)
    }

    @Test("frames have the size and the place that plain SQLite gives them", arguments: [1024, 4096, 65536])
    func frames(pageSize: Int) throws {
        let connection = try folder.create(mode: "WAL", pageSize: pageSize, rows: 0).connect()
        _ = try connection.text("PRAGMA wal_checkpoint(TRUNCATE)")
        try connection.execute("PRAGMA cache_size = 5")
        try connection.addNotes(300)
        var frames: Int64 = 0
        try connection.query("PRAGMA wal_checkpoint(PASSIVE)") { (row) throws(SealedFileError) in
            frames = row.integer(1)
        }
        #expect(frames > 0)
        #expect(RawFile.byteCount(folder.file("a.db-wal")) == 32 + Int(frames) * (pageSize + 24))
    }

    @Test("locking_mode=EXCLUSIVE in WAL mode makes no index, and keeps others and a rotation out")
    func exclusive() throws {
        let database = try folder.create(mode: "WAL", rows: 5)
        let connection = try database.connect()
        try connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        try connection.addNotes(20)
        #expect(!folder.names.contains("a.db-shm"))
        #expect(failureCode { try database.connect(busyTimeout: .zero).addNotes(1) } == .busy)
        #expect(failureCode { _ = try KeyRotation(of: database).run(busyTimeout: .zero) } == .busy)
        try connection.addNotes(20)
        #expect(try connection.integer("SELECT count(*) FROM notes") == 45)
        try connection.checkIntegrity()
    }

    @Test("a rotation waits for the checkpoint lock no longer than it is told to", .endsIfItHangs)
    func checkpointLock() throws {
        let database = try folder.create(mode: "WAL", rows: 5)
        var code: SealedFileError.Code?
        let task = FileTask { (_, _) throws(SealedFileError) in
            code = failureCode { _ = try KeyRotation(of: database).run(busyTimeout: .zero) }
        }
        try database.connect().excludingDatabaseWriters(task, timeout: .zero)
        #expect(code == .busy)
    }

    @Test("the error of a task under the write lock is told, also where its transaction can't be rolled back")
    func failedRollback() throws {
        let connection = try folder.create().connect()
        let task = FileTask { (_, _) throws(SealedFileError) in
            try connection.execute("ROLLBACK")
            throw SealedFileError(.refused, "")
        }
        #expect(failureCode { try connection.underWriteLock(task) } == .refused)
    }

    @Test("a damaged header copy is not mended by who may not write", arguments: ["immutable=1", "mode=ro"])
    func readOnly(parameter: String) throws {
        let expected = try folder.create().connect().fingerprint()
        try RawFile.flip(folder.file("a.db"), at: 4096 + 500)
        let before = try folder.contents()
        do {
            let database = try folder.open()
            let connection = try RawConnection(
                uri: "\(database.uri)&\(parameter)", path: database.path, flags: SQLITE_OPEN_READONLY)
            #expect(try connection.fingerprint() == expected)
            #expect(failureCode { try connection.addNotes(1) } == .permission)
        }
        #expect(try folder.contents() == before)
        try folder.open().connect().addNotes(1)
        #expect(try folder.open().publicHeader().copies == [.current, .current])
    }

    @Test("one attempt to unlock stops at its budget, says how many slots weren't tried, and names --slot")
    func budget() throws {
        let database = try folder.create()
        // As costly as a slot may be, so not to be tried for real: two of them spend all there is.
        try database.editHeader { (content) throws(SealedFileError) in
            guard var costly = content.slots[0] else { return }
            (costly.kind, costly.cost) = (.passphrase, Scrypt.Cost(logN: 20, r: 8, p: 1))
            for place in 1...5 {
                costly.id = [UInt8](repeating: UInt8(place), count: 16)
                content.slots[place] = costly
            }
        }
        let content = try BaseHandle.readHeader(database.path, vfs: "unix").content
        var budget = UnlockBudget(limits: UnlockLimits())
        for number in 2...3 { try budget.admit(try content.slot(number), number: number, content: content) }
        let error = #expect(throws: SealedFileError.self) {
            try budget.admit(try content.slot(4), number: 4, content: content)
        }
        #expect(error?.code == .costRefused)
        #expect(error?.description.contains("3 not tried") == true)
        #expect(error?.hint == "name the slot")
    }
}

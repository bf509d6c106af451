import SealiteFileTestSupport
import Testing

@testable import SealiteFile

@Suite("pragmas that a sealed file refuses")
struct PragmaTests {
    @Test(
        "of other encrypted SQLites say where to go",
        arguments: [
            "key = 'x'", "rekey = 'x'", "hexkey = '00'", "hexrekey = '00'", "textkey = 'x'", "cipher_page_size = 4096",
            "kdf_iter = 1", "cipher_compatibility = 3", "cipher = 'aes256cbc'", "KEY = 'x'", "Cipher_Migrate",
            "key('x')",
        ])
    func foreignPragmas(pragma: String) throws {
        let folder = try Folder()
        let connection = try folder.create().connect()
        do throws(SealedFileError) {
            try connection.execute("PRAGMA \(pragma)")
            Issue.record("PRAGMA \(pragma) was taken silently")
        } catch {
            #expect(error.code == .refused)
            #expect(error.description.contains("SealedDatabase.open") || error.description.contains("sealite"))
            #expect(!error.description.contains("'x'"))
        }
        try connection.addNotes(1)
    }

    @Test(
        "page_size with another value is refused, and VACUUM changes nothing of the layout",
        arguments: ["DELETE", "WAL"])
    func pageSize(mode: String) throws {
        let folder = try Folder()
        let database = try folder.create(mode: mode, pageSize: 1024)
        let connection = try database.connect()
        let before = try connection.fingerprint()
        for size in [512, 4096, 65536] {
            #expect(failureCode { try connection.execute("PRAGMA page_size = \(size)") } == .refused)
        }
        #expect(try connection.text("PRAGMA page_size") == "1024")
        try connection.execute("PRAGMA page_size = 1024; VACUUM")
        #expect(try connection.text("PRAGMA page_size") == "1024")
        #expect(try connection.fingerprint() == before)
        try connection.checkIntegrity()
        try connection.execute("PRAGMA auto_vacuum = 1; VACUUM")
        #expect(try connection.text("PRAGMA auto_vacuum") == "1")
        #expect(try folder.open().connect().fingerprint() == before)
    }

    @Test("the statement that fails after a refused pragma fails for its own reason")
    func nextFailure() throws {
        let folder = try Folder()
        let connection = try folder.create().connect()
        #expect(failureCode { try connection.execute("PRAGMA key = 'x'") } == .refused)
        #expect(failureCode { try connection.execute("SELECT * FROM nothing") } == .statement)
        #expect(failureCode { try connection.query("SELECT nothing") } == .statement)
    }

    @Test("pragmas that aren't refused work as ever")
    func others() throws {
        let folder = try Folder()
        let connection = try folder.create().connect()
        try connection.execute("PRAGMA user_version = 7; PRAGMA application_id = 9; PRAGMA cache_size = 10")
        #expect(try connection.integer("PRAGMA user_version") == 7)
        #expect(try connection.integer("PRAGMA application_id") == 9)
        #expect(try connection.text("PRAGMA mmap_size = 100000000") != "100000000")
        #expect(try connection.text("PRAGMA quick_check") == "ok")
    }
}

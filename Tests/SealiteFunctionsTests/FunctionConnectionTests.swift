import CSQLite
import GRDB
import SealiteFunctions
import SealiteGRDB
import Testing

@testable import SealiteDatabase
@testable import SealiteFile

@Suite("the functions are on every connection")
struct FunctionConnectionTests {
    private let stage: Stage
    private static let question =
        "SELECT body_value(x'4C17611331', 'a') || hex(body_key('queries', x'4C17611331', 'a'))"
    private static let answer = "150C014"

    init() throws { stage = try Stage() }

    @Test("a revision id that isn't in the stored form has no text")
    func damagedRevisions() throws {
        let digits = String(repeating: "ab", count: 20)
        #expect(try stage.ask("query_revision(x'02\(digits)')") == "'1-\(digits)'")
        // A digest that is too long, and a generation that 32 bits can't represent.
        #expect(try stage.ask("query_revision(x'02\(digits)ab')") == "NULL")
        #expect(try stage.ask("query_revision(x'808080802061')") == "NULL")
    }

    @Test("raw ones, to a sealed file and to a plain one, and to one without a file")
    func raw() throws {
        #expect(try stage.database.connect().text(Self.question) == Self.answer)
        #expect(try stage.database.connectReadOnly().text(Self.question) == Self.answer)
        let plain = try RawConnection(
            uri: "file:\(stage.folder)/plain.db?vfs=unix&mode=rwc", path: "plain.db", flags: 6)
        #expect(try plain.text(Self.question) == Self.answer)
        #expect(try RawConnection(uri: "file::memory:", path: "memory").text(Self.question) == Self.answer)
    }

    @Test(
        "a library without FTS5 gets all functions but those of FTS5, and its connections keep no error, by which SQLite would refuse to open them"
    )
    func withoutFTS5() throws {
        let connection = try RawConnection(uri: "file::memory:", path: "memory")
        let handle = unsafe connection.handle
        #expect(unsafe sqlite3_create_function_v2(handle, "fts5", 1, SQLITE_UTF8, nil, nil, nil, nil, nil) == SQLITE_OK)
        #expect(throws: (any Error).self) { try connection.text("SELECT fts5(NULL)") }
        #expect(unsafe BodyFunctions.register(on: handle) == SQLITE_OK)
        #expect(unsafe sqlite3_errcode(handle) == SQLITE_OK)
        #expect(try connection.text(Self.question) == Self.answer)
    }

    @Test("GRDB's queue, and a pool's writer and readers")
    func grdb() throws {
        let queue = try stage.database.makeQueue()
        #expect(try queue.read { try String.fetchOne($0, sql: Self.question) } == Self.answer)
        try queue.close()
        let pool = try stage.database.makePool()
        #expect(try pool.write { try String.fetchOne($0, sql: Self.question) } == Self.answer)
        #expect(try pool.read { try String.fetchOne($0, sql: Self.question) } == Self.answer)
    }

    @Test("the connections of a document database have the functions")
    func documents() throws {
        let file = try SealedDatabase.create(stage.folder + "/documents.db", slot: .rawKey(Stage.key))
        let database = try Database(file: file, configuration: DatabaseConfiguration())
        let read = try database.reading { try String.fetchOne($0, sql: Self.question) }
        let written = try database.writer.withoutTransaction { try String.fetchOne($0, sql: Self.question) }
        #expect(read == Self.answer && written == Self.answer)
        try database.close()
    }
}

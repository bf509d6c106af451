import SealiteBase
import SealiteFile
import SealiteQuery
import Testing

@testable import SealiteTool

@Suite("hints of the libraries on the command line")
struct RemedyTests {
    @Test("a program without a wording gets what to do; the tool gets the command that does it")
    func wordings() throws {
        #expect(FileRemedy.listSlots.hint == "list the key slots")
        #expect(FileRemedy.listSlots.command == "list the slots with 'sealite key list'")
        let place = try Workplace()
        try place.makeDatabase("a.db")
        let shown = try place.sealite("key", "remove", "a.db", "--slot", "7", "--key-file", "key")
        #expect(shown.err.contains("hint: \(FileRemedy.listSlots.command)"), "\(shown)")
    }

    @Test("an argument of a command in a hint is quoted where a shell would take it apart")
    func quoting() {
        #expect("wss://ana@127.0.0.1:4984/a_b-c.d".shellArgument == "wss://ana@127.0.0.1:4984/a_b-c.d")
        #expect("my file.db".shellArgument == "'my file.db'" && "a&b".shellArgument == "'a&b'")
        #expect("it's".shellArgument == "'it'\\''s'" && "".shellArgument == "''")
    }

    @Test("the command of a text index names the collection where that isn't the default one")
    func textIndex() {
        #expect(
            QueryRemedy.createTextIndex(on: "title", collection: "notes").command.contains(
                "--full-text title --collection notes'"))
        #expect(QueryRemedy.createTextIndex(on: "title", collection: nil).command.contains("--full-text title'"))
    }

    @Test(
        "the command of a vector index quotes the expression, and names the collection where that isn't the default one"
    )
    func vectorIndex() {
        #expect(
            QueryRemedy.createVectorIndex(on: "a[0]", collection: "notes").command.contains(
                "--vector 'a[0]' --dimensions N --collection notes', or compare"))
        #expect(QueryRemedy.createVectorIndex(on: "a", collection: nil).command.contains("--vector a --dimensions N',"))
    }
}

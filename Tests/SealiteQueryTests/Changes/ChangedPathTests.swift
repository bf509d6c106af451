import SealiteDatabase
import SealiteQueryLanguage
import Testing

@testable import SealiteQuery

@Suite("paths that UPDATE changes")
struct ChangedPathTests {
    @Test(
        "a damaged body is an error and is never replaced",
        arguments: [[], [0xFF], [0x2C, 0x17, 0x61], [0x4C, 0x17]] as [[UInt8]])
    func damaged(body: [UInt8]) {
        let path = ChangedPath([.name("a"), .name("b")])
        #expect(throws: DatabaseError(.invalidParameter, "")) { try path.set([0x01], in: body) }
        #expect(path.removed(from: body) == body)
    }
}

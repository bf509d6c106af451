import Glibc
import SealiteCrypto
import SealiteFile
import Testing

@Suite("secrets that are typed")
struct SecretTerminalTests {
    /// Reads a line that was written to a pipe, in the place of a terminal.
    private func line(_ bytes: [UInt8]) throws(SealedFileError) -> [UInt8] {
        var ends: [CInt] = [-1, -1]
        #expect(unsafe pipe(&ends) == 0)
        #expect(unsafe write(ends[1], bytes, bytes.count) == bytes.count)
        close(ends[1])
        defer { close(ends[0]) }
        let secret = try SecretTerminal.line(from: ends[0])
        return unsafe secret.withUnsafeBytes { unsafe Array($0) }
    }

    @Test("a line has 1 to 1024 bytes without its end, and no NUL")
    func lines() throws {
        #expect(try line(Array("open sesame\n".utf8)) == Array("open sesame".utf8))
        let longest = [UInt8](repeating: 65, count: 1_024)
        #expect(try line(longest + [10]) == longest)
        for refused in [[], [10], longest + [65, 10], [65, 0, 66, 10]] {
            #expect(throws: SealedFileError(.invalidArgument, "")) { try line(refused) }
        }
    }

    @Test("a text that the end of the input or a failure cuts off is no secret")
    func cutOff() throws {
        let longest = [UInt8](repeating: 65, count: 1_024)
        for cutOff in [Array("open ses".utf8), longest] {
            let error = #expect(throws: SealedFileError.self) { try line(cutOff) }
            #expect(error?.code == .invalidArgument && error?.reason.contains("cut off") == true)
        }
        #expect(throws: SealedFileError(.inputOutput, "")) { _ = try SecretTerminal.line(from: -1) }
    }

    @Test("nothing is asked where the echo can't be turned off")
    func noTerminal() throws {
        var ends: [CInt] = [-1, -1]
        #expect(unsafe pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let end = ends[0]
        #expect(throws: SealedFileError.self) { try SecretTerminal.hideTyping(on: end) }
    }
}

import SealiteCrypto
import SealiteEndpoints
import SealiteTransportTestSupport
import Testing

@testable import SealiteTransport

@Suite("SetCookieExtractorTests: cookies leave an answer before it is decoded")
struct SetCookieExtractorTests {
    /// Returns the bytes that the keeper passes on for some reads, and the cookies it kept.
    private func pass(_ reads: [[UInt8]], byteLimit: Int = 1000) -> (left: String, cookies: [String]) {
        let keeper = SetCookieExtractor(byteLimit: byteLimit)
        var left: [UInt8] = []
        for var read in reads {
            unsafe read.withUnsafeMutableBytes { unsafe keeper.cover($0) }
            left += read
        }
        let cookies = keeper.cookies.map { secret in
            unsafe secret.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
        }
        return (String(decoding: left, as: UTF8.self), cookies)
    }

    private let answer = """
        HTTP/1.1 200 OK\r\nSet-Cookie: a=1; Path=/\r\nSet-Cookies: b\r\nX-Set-Cookie: c\r\nset-COOKIE:\t d=2\r\n\
        Set-Cookie:\r\nContent-Length: 16\r\n\r\nSet-Cookie: e=3\n
        """

    @Test("wherever the reads split, the values alone are covered, and those of the body stay")
    func splits() {
        let bytes = Array(answer.utf8)
        let covered = answer.replacing("a=1; Path=/", with: "***********").replacing("d=2", with: "***")
        for split in 0...bytes.count {
            let (left, cookies) = pass([Array(bytes[..<split]), Array(bytes[split...])])
            #expect(left == covered, "split at \(split)")
            #expect(cookies == ["a=1; Path=/", "d=2"], "split at \(split)")
        }
        #expect(pass(bytes.map { [$0] }) == (covered, ["a=1; Path=/", "d=2"]))
    }

    @Test("an announcement's cookies are covered and dropped; a switch of protocols is an answer")
    func interim() {
        let early = "HTTP/1.1 103 Early Hints\r\nSet-Cookie: a=1\r\n\r\n"
        let last = "HTTP/1.1 101 Switching Protocols\r\nSet-Cookie: b=2\r\n\r\nSet-Cookie: c\r\n\r\n"
        let (left, cookies) = pass([Array((early + last).utf8)])
        #expect(left == (early + last).replacing("a=1", with: "***").replacing("b=2", with: "***"))
        #expect(cookies == ["b=2"])
    }

    @Test("a value that goes on in the next line, and one that ends in a bare newline")
    func folded() {
        let (left, cookies) = pass([Array("\r\nHTTP/1.1 200 OK\nSet-Cookie: a=\r\n  secret\nOther: x\n\nend".utf8)])
        #expect(left == "\r\nHTTP/1.1 200 OK\nSet-Cookie: **\r\n  ******\nOther: x\n\nend")
        #expect(cookies == ["a=secret"])
    }

    @Test("more than the limit is covered all the same, and not kept")
    func limit() {
        let long = String(repeating: "x", count: 60)
        let text = "HTTP/1.1 200 OK\r\nSet-Cookie: \(long)\r\nSet-Cookie: \(long)\r\n\r\n"
        let (left, cookies) = pass([Array(text.utf8)], byteLimit: 100)
        #expect(left == text.replacing(long, with: String(repeating: "*", count: 60)))
        #expect(cookies == [long])
    }

    @Test("no more cookies are kept than an answer may have headers, however small they are")
    func count() {
        let text = "HTTP/1.1 200 OK\r\n" + String(repeating: "Set-Cookie:a\n", count: 2_000) + "\n"
        let (left, cookies) = pass([Array(text.utf8)], byteLimit: 32 << 10)
        #expect(left == text.replacing(":a", with: ":*"))
        #expect(cookies == Array(repeating: "a", count: SetCookieExtractor.countLimit))
    }

    @Test("nothing of an announcement's cookies is in the answer's, nor do they take its room")
    func nothingOfInterim() {
        let long = "a=" + String(repeating: "x", count: 60)
        for end in ["\n", "\r\n"] {
            let early = "HTTP/1.1 103 Early Hints\(end)Set-Cookie: \(long)\(end)\(end)"
            let last = "HTTP/1.1 200 OK\r\nSet-Cookie: \(long)\r\n\r\n"
            let (left, cookies) = pass([Array((early + early + last).utf8)], byteLimit: 100)
            #expect(!left.contains("x") && cookies == [long], "\(end.utf8.count) bytes end a line")
        }
    }
}

import Testing

@testable import SealiteFile

@Suite("headers of the running transaction's frames")
struct FrameHeadersTests {
    private func header(_ seed: UInt8) -> [UInt8] { (0..<24).map { seed &+ $0 } }

    /// The header that is kept for a frame; nil where none is.
    private func kept(_ index: UInt32, in headers: FrameHeaders) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 24)
        let isThere = unsafe bytes.withUnsafeMutableBytes { buffer in
            guard let start = buffer.baseAddress else { return false }
            return unsafe headers.copy(index, to: start)
        }
        return isThere ? bytes : nil
    }

    private func keep(_ index: UInt32, _ seed: UInt8, in headers: inout FrameHeaders) {
        let bytes = header(seed)
        unsafe bytes.withUnsafeBytes { buffer in
            if let start = buffer.baseAddress { unsafe headers.keep(index, start) }
        }
    }

    @Test("no more are kept than the bound says, those of the first frames")
    func bound() {
        var headers = FrameHeaders()
        let last = UInt32(100 + FrameHeaders.mostFrames - 1)
        for index in 100...last + 2 { keep(index, 1, in: &headers) }
        #expect(kept(100, in: headers) != nil && kept(last, in: headers) != nil)
        #expect(kept(last + 1, in: headers) == nil)
    }

    @Test("the headers of the frames written last are there, whatever was rewritten; others have to be read")
    func kept() {
        var headers = FrameHeaders()
        func keep(_ index: UInt32, _ seed: UInt8) { self.keep(index, seed, in: &headers) }
        for index: UInt32 in 100...104 { keep(index, UInt8(index)) }
        keep(102, 7)
        // A frame that leaves some out, and one before the first: neither is kept, and neither takes another's place.
        keep(110, 8)
        keep(99, 9)
        #expect(kept(102, in: headers) == header(7) && kept(104, in: headers) == header(104))
        #expect([99, 105, 110].allSatisfy { kept($0, in: headers) == nil })
        headers.forget()
        #expect(kept(102, in: headers) == nil)
        keep(3, 1)
        #expect(kept(3, in: headers) == header(1) && kept(103, in: headers) == nil)
    }
}

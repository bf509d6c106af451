internal import NIOCore
internal import SealiteCrypto
internal import SealiteEndpoints

/// Extracts the values of `Set-Cookie` from an HTTP response before the response is decoded: the values are
/// credentials, and the decoder's buffers and strings are ordinary memory. The handler overwrites the values with
/// asterisks in the buffer that the socket or TLS read them into. It passes everything else on unchanged.
final class SetCookieExtractor: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// The largest number of cookies that are kept: the decoder accepts no more headers.
    static let countLimit = 200

    private let byteLimit: Int
    private var scan = SetCookieScan()
    private var keptByteCount = 0
    private var current: SecretBytes?
    /// The values of the response's `Set-Cookie` headers in the order received; complete once the response's head is.
    private(set) var cookies: [SharedSecret] = []

    /// Creates a handler.
    ///
    /// - Parameter byteLimit: the number of bytes of cookies that are kept; not less than the decoder accepts for a
    ///   head.
    init(byteLimit: Int) { self.byteLimit = byteLimit }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = Self.unwrapInboundIn(data)
        if !scan.isOver {
            // The memory itself is overwritten, although it is shared, so that the socket's buffer doesn't contain the
            // secret either.
            unsafe buffer.withUnsafeReadableBytes { unsafe cover(UnsafeMutableRawBufferPointer(mutating: $0)) }
        }
        context.fireChannelRead(Self.wrapInboundOut(buffer))
    }

    /// Stores the cookie values found in the next bytes of a response, and overwrites them in the buffer.
    func cover(_ bytes: UnsafeMutableRawBufferPointer) {
        var start: Int?
        for index in bytes.indices {
            switch scan.step(unsafe bytes[index]) {
            case .value:
                if start == nil { start = index }
                continue
            case .cookieEnd: unsafe keep(bytes, start, index, isEnd: true)
            case .interimEnd: forget()
            case .other: unsafe keep(bytes, start, index, isEnd: false)
            }
            start = nil
            if scan.isOver { return }
        }
        unsafe keep(bytes, start, bytes.count, isEnd: false)
    }

    private func forget() {
        (cookies, keptByteCount) = ([], 0)
        current = nil
    }

    /// Stores the piece of a cookie value that began at `start`, if one did, and overwrites it in the buffer. If the
    /// value is complete, adds it to the cookies.
    private func keep(_ bytes: UnsafeMutableRawBufferPointer, _ start: Int?, _ end: Int, isEnd: Bool) {
        if let start {
            let piece = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[start..<end])
            if cookies.count < Self.countLimit, keptByteCount + piece.count <= byteLimit {
                let old = unsafe current.take() ?? SecretBytes(byteCount: 0) { _ in }
                let count = old.byteCount
                current = unsafe SecretBytes(byteCount: count + piece.count) { output in
                    unsafe old.withUnsafeBytes { unsafe output.copyMemory(from: $0) }
                    unsafe UnsafeMutableRawBufferPointer(rebasing: output[count...])
                        .copyMemory(from: UnsafeRawBufferPointer(piece))
                }
                keptByteCount += piece.count
            }
            unsafe piece.initializeMemory(as: UInt8.self, repeating: UInt8(ascii: "*"))
        }
        if isEnd, let value = current.take() { cookies.append(SharedSecret(value)) }
    }
}

/// Finds the values of `Set-Cookie` in the head of an HTTP/1.1 response, byte by byte. It only splits lines; the
/// decoder checks whether they are valid HTTP.
struct SetCookieScan {
    /// The meaning of a byte of the response's head.
    enum Step: Equatable {
        /// The byte belongs to the value of a `Set-Cookie` header.
        case value
        /// The byte is the first one after the line of a `Set-Cookie` header, so the value is complete.
        case cookieEnd
        /// The byte ends the head of an interim response (1xx).
        case interimEnd
        case other
    }

    private enum Position {
        case lineStart
        /// In a header's name, after this number of bytes that match `set-cookie:`.
        case name(Int)
        case otherLine
        /// In the spaces before a value.
        case valueStart
        case value
    }

    private static let name = Array("set-cookie:".utf8)

    /// A Boolean value that indicates whether the head is complete.
    private(set) var isOver = false
    private var place = Position.lineStart
    private var isBehindCookie = false
    private var isFirstLine = true
    private var column = 0
    private var status = 0

    mutating func step(_ byte: UInt8) -> Step {
        if isOver { return .other }
        let isEndOfLine = byte == UInt8(ascii: "\n")
        if isFirstLine { readStatus(byte) }
        switch place {
        case .lineStart: return startLine(byte)
        case .name(let count) where byte | 0x20 == Self.name[count] | 0x20:
            place = count + 1 < Self.name.count ? .name(count + 1) : .valueStart
        case .valueStart where byte == 0x20 || byte == 0x09: break
        case .value, .valueStart:
            place = .value
            guard isEndOfLine else { return byte == UInt8(ascii: "\r") ? .other : .value }
            isBehindCookie = true
            endLine()
        default:
            if isEndOfLine { endLine() } else { place = .otherLine }
        }
        return .other
    }

    private mutating func startLine(_ byte: UInt8) -> Step {
        // A line that begins with a space continues the previous line.
        if isBehindCookie, byte == 0x20 || byte == 0x09 {
            place = .valueStart
            return .other
        }
        let step: Step = isBehindCookie ? .cookieEnd : .other
        isBehindCookie = false
        switch byte {
        case UInt8(ascii: "\r"): return step
        case UInt8(ascii: "\n"): return endHead() ?? step
        default:
            place = byte | 0x20 == Self.name[0] ? .name(1) : .otherLine
            return step
        }
    }

    private mutating func endLine() {
        place = .lineStart
        isFirstLine = false
    }

    /// Handles an empty line, which ends the head: returns `interimEnd` and starts anew after the head of an interim
    /// response, otherwise nil. Empty lines before the status line are skipped.
    private mutating func endHead() -> Step? {
        if isFirstLine {
            column = 0
            return nil
        }
        guard (100..<200).contains(status), status != 101 else {
            isOver = true
            return nil
        }
        self = SetCookieScan()
        return .interimEnd
    }

    /// Reads the status code from the status line, such as `HTTP/1.1 200`, byte by byte.
    private mutating func readStatus(_ byte: UInt8) {
        if (9..<12).contains(column) { status = status * 10 + Int(byte & 0x0F) }
        column += 1
    }
}

internal import SealiteCredentials
internal import NIOCore
internal import SealiteCrypto

/// Takes the values of `Set-Cookie` out of an HTTP answer before it is decoded: they are credentials, and the decoder's buffers and
/// strings are ordinary memory. Overwrites them with asterisks in the buffer that the socket or TLS read them into. Passes everything
/// else on unchanged.
final class CookieKeeper: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// The largest number of cookies that are kept: the decoder accepts no more headers.
    static let countLimit = 200

    private let byteLimit: Int
    private var scan = SetCookieScan()
    private var keptByteCount = 0
    private var current: SecretBytes?
    /// The values in the order received; complete once the head is.
    private(set) var cookies: [SharedSecret] = []

    /// Makes a handler.
    ///
    /// - Parameter byteLimit: the number of bytes of cookies that are kept; not less than the decoder accepts for a head.
    init(byteLimit: Int) { self.byteLimit = byteLimit }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = Self.unwrapInboundIn(data)
        if !scan.isOver {
            // In place, although the memory is shared: the socket's buffer has to lose the secret too.
            unsafe buffer.withUnsafeReadableBytes { unsafe cover(UnsafeMutableRawBufferPointer(mutating: $0)) }
        }
        context.fireChannelRead(Self.wrapInboundOut(buffer))
    }

    /// Keeps the cookies in the next bytes of an answer, and overwrites them.
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

    /// Keeps the piece of a value that began at `start`, if one did, and overwrites it.
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

/// Finds the values of `Set-Cookie` in the head of an HTTP/1.1 answer, byte by byte. It looks at lines alone; the decoder decides
/// whether they are HTTP.
struct SetCookieScan {
    /// The meanings of a byte.
    enum Step: Equatable {
        /// A part of a value.
        case value
        /// The first byte after a value and the end of its line.
        case cookieEnd
        /// The end of the head of an interim answer (1xx).
        case interimEnd
        case other
    }

    private enum Place {
        case lineStart
        /// In a header's name, after so many bytes that match `set-cookie:`.
        case name(Int)
        case otherLine
        /// In the spaces before a value.
        case valueStart
        case value
    }

    private static let name = Array("set-cookie:".utf8)

    /// A Boolean value that indicates whether the head is complete.
    private(set) var isOver = false
    private var place = Place.lineStart
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
        // A line that begins with a space continues the one before.
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

    /// Handles an empty line, which ends the head. Empty lines before the status line are skipped.
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

    /// Reads the status from `HTTP/1.1 200`.
    private mutating func readStatus(_ byte: UInt8) {
        if (9..<12).contains(column) { status = status * 10 + Int(byte & 0x0F) }
        column += 1
    }
}

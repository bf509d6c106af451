internal import SealiteCredentials
internal import NIOCore
internal import SealiteCrypto

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

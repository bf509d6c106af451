internal import SealiteCredentials
internal import Glibc
internal import NIOCore
internal import NIOHTTP1
internal import SealiteCrypto

// .exposing: in this file the secrets of a request leave `SecretBytes`, for one buffer of the right size, which is wiped as soon as the
// socket or TLS has taken it. No string and no second buffer holds them.

/// Writes one HTTP/1.1 request: the head that it is given, and the secrets that it was made with.
final class RequestEncoder: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = ByteBuffer

    private var fields: [(name: String, value: SharedSecret)]
    private var body: SharedSecret?

    /// - Parameters:
    ///   - fields: the names and values of headers; the values have been checked.
    ///   - body: the body, whose length the head has; nil for none.
    init(_ fields: [(name: String, value: SharedSecret)] = [], body: SharedSecret? = nil) {
        self.fields = fields
        self.body = body
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .head(let head) = Self.unwrapOutboundIn(data) else {
            // Everything was written with the head.
            promise?.succeed(())
            return
        }
        let request = encoded(head, context.channel.allocator)
        (fields, body) = ([], nil)
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.whenComplete { _ in request.wipe() }
        if let promise { written.futureResult.cascade(to: promise) }
        context.write(Self.wrapOutboundOut(request), promise: written)
    }

    private func encoded(_ head: HTTPRequestHead, _ allocator: ByteBufferAllocator) -> ByteBuffer {
        var start = "\(head.method.rawValue) \(head.uri) HTTP/1.1\r\n"
        for (name, value) in head.headers { start += "\(name): \(value)\r\n" }
        var byteCount = start.utf8.count + 2 + (body?.byteCount ?? 0)
        for (name, value) in fields { byteCount += name.utf8.count + value.byteCount + 4 }
        // Large enough from the start: a buffer that grows leaves copies behind.
        var buffer = allocator.buffer(capacity: byteCount)
        buffer.writeString(start)
        for (name, value) in fields {
            buffer.writeString(name)
            buffer.writeStaticString(": ")
            buffer.write(value)
            buffer.writeStaticString("\r\n")
        }
        buffer.writeStaticString("\r\n")
        if let body = body { buffer.write(body) }
        return buffer
    }
}

extension ByteBuffer {
    fileprivate mutating func write(_ secret: SharedSecret) {
        _ = unsafe secret.withUnsafeBytes { unsafe writeBytes($0) }
    }

    /// Overwrites the readable bytes in place, for all buffers that share the memory.
    func wipe() {
        unsafe withUnsafeReadableBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            unsafe explicit_bzero(UnsafeMutableRawPointer(mutating: base), bytes.count)
        }
    }
}

extension SharedSecret {
    /// A Boolean value that indicates whether the secret can be the value of an HTTP header: UTF-8 without control characters.
    var isHeaderValue: Bool {
        unsafe withUnsafeBytes { bytes in
            let bytes = unsafe bytes.bindMemory(to: UInt8.self)
            guard unsafe bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return false }
            return unsafe (try? UTF8Span(validating: bytes.span)) != nil
        }
    }
}

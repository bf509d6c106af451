internal import SealiteCredentials
internal import Glibc
internal import NIOCore
internal import NIOHTTP1
internal import SealiteCrypto

// .exposing: in this file the secrets of a request leave `SecretBytes`, for one buffer of the right size, which is
// wiped as soon as the socket or TLS has taken it. No string and no second buffer contains the secrets.

extension ClientRequest {
    /// Writes the only request of a connection, and then releases the request's secrets.
    final class Encoder: ChannelOutboundHandler, RemovableChannelHandler {
        typealias OutboundIn = HTTPClientRequestPart
        typealias OutboundOut = ByteBuffer

        private var request: ClientRequest?

        init(_ request: ClientRequest) { self.request = request }

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            guard case .head = Self.unwrapOutboundIn(data), let request = request.take() else {
                // The head and the body were already written together, when the head was passed.
                promise?.succeed(())
                return
            }
            let bytes = request.encoded(context.channel.allocator)
            let written = context.eventLoop.makePromise(of: Void.self)
            written.futureResult.whenComplete { _ in bytes.wipe() }
            if let promise { written.futureResult.cascade(to: promise) }
            context.write(Self.wrapOutboundOut(bytes), promise: written)
        }
    }

    /// Returns the bytes of the whole request: its head with the secret headers, and its body.
    private func encoded(_ allocator: ByteBufferAllocator) -> ByteBuffer {
        var start = "\(head.method.rawValue) \(head.uri) HTTP/1.1\r\n"
        for (name, value) in head.headers { start += "\(name): \(value)\r\n" }
        var byteCount = start.utf8.count + 2 + (body?.byteCount ?? 0)
        for (name, value) in secrets { byteCount += name.utf8.count + value.byteCount + 4 }
        // Large enough from the start: a buffer that grows leaves copies of its content in memory.
        var buffer = allocator.buffer(capacity: byteCount)
        buffer.writeString(start)
        for (name, value) in secrets {
            buffer.writeString(name)
            buffer.writeStaticString(": ")
            buffer.write(value)
            buffer.writeStaticString("\r\n")
        }
        buffer.writeStaticString("\r\n")
        if let body { buffer.write(body) }
        return buffer
    }
}

extension ByteBuffer {
    fileprivate mutating func write(_ secret: SharedSecret) {
        _ = unsafe secret.withUnsafeBytes { unsafe writeBytes($0) }
    }

    /// Overwrites the readable bytes in the buffer's memory, and thereby in all buffers that share it.
    func wipe() {
        unsafe withUnsafeReadableBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            unsafe explicit_bzero(UnsafeMutableRawPointer(mutating: base), bytes.count)
        }
    }
}

extension SharedSecret {
    /// A Boolean value that indicates whether the secret can be the value of an HTTP header, which is UTF-8 without
    /// control characters.
    var isHeaderValue: Bool {
        unsafe withUnsafeBytes { bytes in
            let bytes = unsafe bytes.bindMemory(to: UInt8.self)
            guard unsafe bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return false }
            return unsafe (try? UTF8Span(validating: bytes.span)) != nil
        }
    }
}

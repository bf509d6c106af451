internal import SealiteCredentials
internal import Glibc
internal import NIOCore
internal import NIOHTTP1
internal import SealiteCrypto

// .exposing: here the secrets of a request leave `SecretBytes`: into one buffer of the right size, which is wiped as soon as
// the socket or TLS has taken it. No string and no second buffer ever holds them.

/// What of a request is secret.
struct RequestSecrets: Sendable {
    /// Header names and values, the values checked.
    var fields: [(name: String, value: SharedSecret)] = []
    /// The body; nil for none. Its length is among the open headers.
    var body: SharedSecret?
}

/// Writes one HTTP/1.1 request: what it is given as parts of a request, and the secrets that it holds.
final class RequestEncoder: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = ByteBuffer

    private var secrets: RequestSecrets

    init(_ secrets: RequestSecrets) { self.secrets = secrets }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .head(let head) = Self.unwrapOutboundIn(data) else {
            // Everything went with the head.
            promise?.succeed(())
            return
        }
        let request = encoded(head, context.channel.allocator)
        secrets = RequestSecrets()
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.whenComplete { _ in request.wipe() }
        if let promise { written.futureResult.cascade(to: promise) }
        context.write(Self.wrapOutboundOut(request), promise: written)
    }

    private func encoded(_ head: HTTPRequestHead, _ allocator: ByteBufferAllocator) -> ByteBuffer {
        var start = "\(head.method.rawValue) \(head.uri) HTTP/1.1\r\n"
        for (name, value) in head.headers { start += "\(name): \(value)\r\n" }
        var byteCount = start.utf8.count + 2 + (secrets.body?.byteCount ?? 0)
        for (name, value) in secrets.fields { byteCount += name.utf8.count + value.byteCount + 4 }
        // Large enough from the start: a buffer that grows leaves pieces behind.
        var buffer = allocator.buffer(capacity: byteCount)
        buffer.writeString(start)
        for (name, value) in secrets.fields {
            buffer.writeString(name)
            buffer.writeStaticString(": ")
            buffer.write(value)
            buffer.writeStaticString("\r\n")
        }
        buffer.writeStaticString("\r\n")
        if let body = secrets.body { buffer.write(body) }
        return buffer
    }
}

extension ByteBuffer {
    fileprivate mutating func write(_ secret: SharedSecret) {
        _ = unsafe secret.withUnsafeBytes { unsafe writeBytes($0) }
    }

    /// Overwrites what is readable, in place: whoever shares the memory is to lose it too.
    func wipe() {
        unsafe withUnsafeReadableBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            unsafe explicit_bzero(UnsafeMutableRawPointer(mutating: base), bytes.count)
        }
    }
}

extension SharedSecret {
    /// Whether it can be the value of an HTTP header: text without control characters.
    var isHeaderValue: Bool {
        unsafe withUnsafeBytes { bytes in
            let bytes = unsafe bytes.bindMemory(to: UInt8.self)
            guard unsafe bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return false }
            return unsafe (try? UTF8Span(validating: bytes.span)) != nil
        }
    }
}

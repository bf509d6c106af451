import Foundation
import Glibc

/// Requests over HTTP to a port of this machine, as bytes.
enum LocalHTTP {
    /// Sends a request, and returns everything that came back until the end of the connection.
    static func exchange(_ port: Int, _ request: String) throws -> String {
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw POSIXError(.EMFILE) }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        address.sin_port = in_port_t(port).bigEndian
        let isConnected = unsafe withUnsafePointer(to: &address) { typed in
            unsafe typed.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe connect(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else { throw POSIXError(.ECONNREFUSED) }
        let bytes = Array(request.utf8)
        _ = unsafe Glibc.send(descriptor, bytes, bytes.count, CInt(MSG_NOSIGNAL))
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            received += buffer.prefix(count)
        }
        return String(decoding: received, as: UTF8.self)
    }

    /// Returns the body of a page.
    static func page(_ port: Int, _ path: String) throws -> String {
        let answer = try exchange(port, "GET \(path) HTTP/1.1\r\nHost: localhost:\(port)\r\n\r\n")
        guard answer.hasPrefix("HTTP/1.1 200 "), let end = answer.range(of: "\r\n\r\n") else {
            throw POSIXError(.EPROTO)
        }
        return String(answer[end.upperBound...])
    }
}

import Glibc

/// A port of 127.0.0.1 that is taken and not listened at: connections to it are refused for as long as it lives.
///
/// A port that was merely freed may be a server's of another test the next moment.
package final class HeldPort: Sendable {
    package let port: Int
    private let descriptor: CInt

    package init() throws {
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        self.descriptor = descriptor
        guard descriptor >= 0 else { throw HeldPortError() }
        // With it a server may listen there too, and leave.
        var on: CInt = 1
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = unsafe withUnsafeMutablePointer(to: &address) { typed in
            unsafe typed.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe setsockopt(
                    descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<CInt>.size)) == 0
                    && bind(descriptor, pointer, length) == 0 && getsockname(descriptor, pointer, &length) == 0
            }
        }
        port = Int(UInt16(bigEndian: address.sin_port))
        // The descriptor is the object's, which is whole now, and closes it.
        guard bound else { throw HeldPortError() }
    }

    deinit { close(descriptor) }
}

private struct HeldPortError: Error {}

/// The limits on the memory that a peer makes this side use.
package struct ConnectionLimits: Sendable, Hashable {
    /// The largest WebSocket message that is received, in bytes, whether in one frame or in fragments.
    package var messageByteCount = 1 << 20
    /// The number of received and unread bytes at which reading from the network stops.
    package var receivedByteCount = 256 << 10
    /// The number of bytes not yet written to the network at which sending waits.
    package var sentByteCount = 256 << 10
    /// The maximum size of the head of an HTTP request or response, in bytes.
    package var headByteCount = 32 << 10
    /// The largest number of redirects that are followed.
    package var redirectCount = 10

    /// Creates the default limits.
    package init() {}
}

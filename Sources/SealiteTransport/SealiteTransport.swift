// SealiteTransport: WebSocket, HTTP and TLS on SwiftNIO, for clients and servers.
//
// A client connects by name or address, through a proxy if one is given, over TLS if the URL says so, and sends one HTTP request:
// the upgrade to WebSocket, or a call such as a login. A server accepts upgrades. Both carry binary messages after the upgrade.
// Secrets travel in `SecretBytes` up to the socket or TLS; the files that take them out are marked `.exposing` and wipe the bytes.
//
// Nothing in this target is public. The values that applications see (`EndpointURL`, `ServerTrust`, `TransportError`
// and others) are in SealiteEndpoints. This target doesn't use authenticators or credential stores: callers pass
// credentials with each request, and servers get closures that check passwords and certificates.
//
//   Client/   one handshake (`DialAttempt`) and what it sends (`ClientRequest`), requests for a WebSocket connection
//             with their redirects (`UpgradeRequest`), other requests (`HTTPCall`)
//   Server/   the listening socket (`WebSocketServer`), the decision about each request (`UpgradeRules`), limits on peers
//   Socket/   a connection after its upgrade (`MessageConnection`, over a socket `WebSocketConnection`), one within the process
//             (`MessagePipe`), addresses and interfaces of this machine, errors of sockets
//   TLS/      TLS contexts, and the evaluation of server trust and of client certificates
//
// A reader starts with `MessageConnection`, then `UpgradeRequest`. Documentation/Replication.md specifies the behaviour.

// SealiteEndpoints: the values that describe a connection to a server, without I/O.
//
// - `EndpointURL`, `PeerAddress` and `AddressRange`: where a connection leads, or comes from;
// - `HTTPProxy`: what it goes through;
// - `ServerTrust` and `ClientCertificatePolicy`: which certificates each side accepts;
// - `HandshakeSecrets` and `TransportIdentity`: the secrets that a handshake presents;
// - `HTTPAnswer` and `TransportError`: how the server answered, and why there is no connection.
//
// SealiteTransport makes the connections. SealiteCredentials, which fills these values from a credential store, exports
// this target: whoever imports it, or SealiteReplicator, imports SealiteEndpoints too.

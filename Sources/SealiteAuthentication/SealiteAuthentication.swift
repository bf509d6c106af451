// SealiteAuthentication: authenticators, which prove a client's identity to a server with secrets that are read from a
// credential store at each handshake.
//
// Start at `Authenticator`. `SessionAuthenticator` has rules of its own; Documentation/Authentication.md lists the
// rules in one table. `SessionClient` logs in and out over HTTP.

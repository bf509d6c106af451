// SealiteAuthentication: authenticators, which prove to a server who is calling, with what they read from a credential store at the
// moment of each handshake.
//
// A reader starts at `Authenticator`; `SessionAuthenticator` is the one with rules of its own. Documentation/Authentication.md has them
// in one table. `SessionClient` logs in and out by HTTP.

/// Authenticators: what proves to a server who is calling, read from a credential store at the moment of each handshake.
///
/// Start at ``Authenticator``; ``SessionAuthenticator`` is the one with rules of its own. `Documentation/Authentication.md`
/// has them in one table. ``SessionClient`` logs in and out by HTTP.
public enum SealiteAuthentication {}

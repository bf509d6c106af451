internal import SealiteConcurrency
public import SealiteCredentials
public import SealiteDatabase
public import Logging
internal import SealiteTransport
public import SealiteCrypto

/// The peers that a listener lets in.
public enum ListenerAccess: Sendable, Hashable {
    /// Those that pass every check that is configured: the password, the client certificate, or both. At least one check has to
    /// be there.
    case authenticated
    /// Everybody who reaches the listener, without any check.
    case anyone
}

/// The configuration of a listener: the collections that it serves, its address, and the peers that it lets in.
///
/// As it is made, a configuration listens on this machine only, and can't be started before it says who may connect:
/// ``passwordCheck``, ``clientCertificates``, or `access = .anyone`.
public struct ListenerConfiguration: Sendable {
    /// The collections, at least one, of one database. Peers see no others.
    public var collections: [SealiteDatabase.Collection]
    /// The name in the URL, before percent-encoding. Peers that ask for another are answered with 404. A leading `_`, `/` and
    /// control characters, which can't stand there, become `-`.
    public var databaseName: String
    /// The port; 0, the default, takes any that is free.
    public var port = 0
    /// The name or an address of the interface to listen at; nil takes all. Default `127.0.0.1`, this machine only.
    public var networkInterface: String? = "127.0.0.1"
    /// A Boolean value that says whether connections are encrypted. Default true.
    public var isEncrypted = true
    /// A Boolean value that says whether passwords are asked for on connections without TLS that come from other machines:
    /// anybody on the way reads them, and all documents. Default false, with which such a configuration can't be started.
    public var allowsUnencryptedCredentials = false
    /// Certificate and key; nil makes a self-signed one at each start, which peers have to pin.
    public var identity: TransportIdentity?
    /// The peers that are let in. Default `authenticated`.
    public var access = ListenerAccess.authenticated
    /// The client certificates that are asked for. All but the default need TLS.
    public var clientCertificates = ClientCertificatePolicy.notAsked
    /// Checks a user's password in each handshake; nil asks for none. An error that it throws is answered with 503: the check
    /// can't be made now. `CredentialStore.passwordCheck(for:users:)` makes one that compares with stored passwords.
    public var passwordCheck: (@Sendable (_ user: String, _ password: SharedSecret) async throws -> Bool)?
    /// The time after which the password of an open connection is checked again. A connection whose password was changed or taken
    /// away is closed then; one whose password can't be checked at that moment stays open. Nil checks passwords in the handshake
    /// alone. Default a minute.
    public var passwordRecheckInterval: Duration? = .seconds(60)
    /// The lifetime of a session that a user got by `POST /{database}/_session`; nil gives none. Default a day. A session ends
    /// when the password that it was issued for is no longer right.
    public var sessionLifetime: Duration? = .seconds(86_400)
    /// Tells the time by which sessions end.
    var time: any TimeSource = SystemTime()
    /// A Boolean value that says whether peers may only read. Default false.
    public var readOnly = false
    /// Most peers at a time; further ones are answered with 503. Default 256. Handshakes have places of their own.
    public var maximumConnectionCount = 256
    /// Most peers at a time from one IPv4 address, or one IPv6 network of 64 bits; further ones are answered with 429.
    /// Default 64.
    public var connectionsPerAddress = 64
    /// Reverse proxies in front of the listener. Default none.
    ///
    /// All peers of a proxy share its address, and with it the limits on connections and wrong passwords. On connections from
    /// an address named here the peer's own address is taken from `X-Forwarded-For`, which the proxy has to set or extend.
    public var trustedProxies: [AddressRange] = []
    /// Most bytes that all connections together may make the listener hold: requests that aren't answered, and answers that
    /// aren't taken. Default 128 MiB. Above it each connection gets 128 KiB at a time.
    public var heldByteLimit = 128 << 20
    /// The logger for peers that connect, leave and are refused. Its lines hold no secret and nothing of documents. Default
    /// `sealite.listener` of the program's `LoggingSystem`.
    public var logger = Logger(label: "sealite.listener")

    /// Whole collections, to read and write, on this machine only.
    public init(collections: [SealiteDatabase.Collection], databaseName: String) {
        self.collections = collections
        self.databaseName = databaseName
    }

    /// The name as it is compared.
    var servedName: String {
        var name = String(
            String.UnicodeScalarView(
                databaseName.unicodeScalars.map { $0 == "/" || $0.properties.generalCategory == .control ? "-" : $0 }))
        if name.hasPrefix("_") { name = "-" + name.dropFirst() }
        return name
    }

    /// Checks that it says who may connect.
    ///
    /// - Throws: `invalidConfiguration`.
    func checkAccess() throws(ReplicatorError) {
        var isChecked = passwordCheck != nil
        if case .notAsked = clientCertificates {} else { isChecked = true }
        switch (access, isChecked) {
        case (.authenticated, true), (.anyone, false): return
        case (.authenticated, false):
            throw ReplicatorError(
                .invalidConfiguration,
                "everybody who reaches \(networkInterface ?? "this machine") could \(readOnly ? "read" : "read and write"): "
                    + "set passwordCheck or clientCertificates, or say access = .anyone")
        case (.anyone, true):
            throw ReplicatorError(
                .invalidConfiguration,
                "access = .anyone contradicts passwordCheck and clientCertificates: leave out one or the other")
        }
    }

    /// Checks that no password is asked for where it would cross a network in clear.
    ///
    /// - Throws: `invalidConfiguration`.
    func checkPasswords() throws(ReplicatorError) {
        guard passwordCheck != nil, !isEncrypted, !allowsUnencryptedCredentials else { return }
        guard let networkInterface, NetworkInterface.isLoopback(networkInterface) else {
            throw ReplicatorError(
                .invalidConfiguration,
                "passwords would go unencrypted to \(networkInterface ?? "all interfaces"): use TLS, listen on this machine only, or "
                    + "say allowsUnencryptedCredentials = true")
        }
    }
}

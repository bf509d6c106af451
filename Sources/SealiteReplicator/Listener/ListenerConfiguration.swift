public import Logging
internal import SealiteBase
public import SealiteCredentials
public import SealiteCrypto
public import SealiteDatabase
internal import SealiteTransport

/// The configuration of a listener: its collections, its address, and the peers that may connect.
///
/// A new configuration accepts connections from this machine only, and can't be started until it specifies who may
/// connect: ``passwordCheck``, ``clientCertificates``, or `access = .anyone`.
public struct ListenerConfiguration: Sendable {
    /// The collections of one database to serve, at least one. Other collections are invisible to peers, unless
    /// ``servesAllCollections`` is true.
    public var collections: [SealiteDatabase.Collection]
    /// A Boolean value that says whether peers that connect also get the collections that were created after the
    /// listener had started, and those of the database that ``collections`` doesn't name. Default false.
    public var servesAllCollections = false
    /// The database name in the URL, before percent-encoding. Requests for another name are answered with 404. A `_` at
    /// the beginning, which such a name can't have, and every `/` and control character become `-`.
    public var databaseName: String
    /// The port; 0, the default, selects a free port.
    public var port = 0
    /// The name or an address of the interface to listen on; nil for all. Default `127.0.0.1`, this machine only.
    public var networkInterface: String? = "127.0.0.1"
    /// A Boolean value that says whether connections are encrypted. Default true.
    public var isEncrypted = true
    /// A Boolean value that says whether passwords may be required on connections without TLS from other machines,
    /// where anybody on the network can read them and all documents. By default it is false, and such a configuration
    /// can't be started.
    public var allowsUnencryptedCredentials = false
    /// The listener's certificate and key; nil creates a self-signed certificate at each start, which peers must pin.
    public var identity: TransportIdentity?
    /// The peers that may connect. Default `authenticated`.
    public var access = ListenerAccess.authenticated
    /// The client certificates to request. All values except the default require TLS.
    public var clientCertificates = ClientCertificatePolicy.notAsked
    /// Returns whether a user's password is right; nil requires no password. It is called in each handshake and login,
    /// and again for open connections (``passwordRecheckInterval``). If it throws in a handshake or login, the response
    /// has the status 503. `CredentialStore.passwordCheck(for:users:access:)` creates a check against stored passwords.
    public var passwordCheck: (@Sendable (_ user: String, _ password: SharedSecret) async throws -> Bool)?
    /// The interval at which the password of an open connection is checked again. A connection whose password was
    /// changed or removed is then closed; a connection whose password can't be checked at that time stays open. Nil
    /// checks passwords only in the handshake. The default is one minute.
    public var passwordRecheckInterval: Duration? = .seconds(60)
    /// The lifetime of a session that a user obtains by `POST /{database}/_session`, which each use of the session may
    /// extend; nil disables sessions. The default is one day. A session is valid only while the password is valid with
    /// which it was created.
    public var sessionLifetime: Duration? = .seconds(86_400)
    /// The time source for the expiry of sessions, and for the pauses after wrong passwords.
    var time: any TimeSource = SystemTime()
    /// A Boolean value that says whether peers may only read. Default false.
    public var readOnly = false
    /// A Boolean value that says whether only the differences of changed documents travel, if the peer supports that, in
    /// both directions. Default true.
    public var enableDeltaSync = true
    /// The maximum number of concurrent peers; further peers are refused with HTTP 503. The default is 256. Handshakes
    /// are counted separately.
    public var maximumConnectionCount = 256
    /// The maximum number of concurrent peers from one IPv4 address, or one IPv6 network of 64 bits; further peers are
    /// refused with HTTP 429. The default is 64.
    public var connectionsPerAddress = 64
    /// The reverse proxies in front of the listener. Default none.
    ///
    /// All peers of a proxy share its address, and therefore the limits on connections and wrong passwords. On
    /// connections from an address listed here, the peer's own address is taken from `X-Forwarded-For`, which the proxy
    /// must set or extend.
    public var trustedProxies: [AddressRange] = []
    /// The maximum memory in bytes that all connections together may make the listener use for unanswered requests and
    /// unread replies. The default is 128 MiB. When the limit is reached, each connection may still use 128 KiB.
    public var heldByteLimit = 128 << 20
    /// The logger for peers that connect, disconnect and are refused. Its lines contain no secrets and no document
    /// content. Default `sealite.listener` of the program's `LoggingSystem`.
    public var logger = Logger(label: "sealite.listener")

    /// Creates a configuration that serves whole collections for reading and writing, on this machine only.
    public init(collections: [SealiteDatabase.Collection], databaseName: String) {
        self.collections = collections
        self.databaseName = databaseName
    }

    /// The database name in the form in which it is compared with the name in a request's URL.
    var servedName: String {
        var name = String(
            String.UnicodeScalarView(
                databaseName.unicodeScalars.map { $0 == "/" || $0.properties.generalCategory == .control ? "-" : $0 }))
        if name.hasPrefix("_") { name = "-" + name.dropFirst() }
        return name
    }

    /// Checks that the configuration specifies who may connect, without contradiction.
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
                "everybody who reaches \(networkInterface ?? "this machine") could \(readOnly ? "read" : "read and write") the "
                    + "collections: set passwordCheck or clientCertificates, or allow it by access = .anyone")
        case (.anyone, true):
            throw ReplicatorError(
                .invalidConfiguration,
                "access = .anyone lets all peers connect, but passwordCheck or clientCertificates is set to check them: "
                    + "remove the checks, or set access = .authenticated")
        }
    }

    /// Checks that no password is required on a connection over which it would be sent unencrypted through a network.
    ///
    /// - Throws: `invalidConfiguration`.
    func checkPasswords() throws(ReplicatorError) {
        guard passwordCheck != nil, !isEncrypted, !allowsUnencryptedCredentials else { return }
        guard let networkInterface, NetworkInterface.isLoopback(networkInterface) else {
            throw ReplicatorError(
                .invalidConfiguration,
                "peers would send passwords unencrypted to \(networkInterface ?? "all interfaces"): set isEncrypted = true, listen "
                    + "on a loopback interface, or set allowsUnencryptedCredentials = true")
        }
    }
}

/// The peers that may connect to a listener.
public enum ListenerAccess: Sendable, Hashable {
    /// Peers that pass every configured check: the password, the client certificate, or both. At least one check must
    /// be configured.
    case authenticated
    /// All peers, without any check.
    case anyone
}

extension CredentialStore {
    /// Creates a password check for a listener. The check reads the user's password from the store each time it is
    /// called, so a changed password takes effect at the next handshake, and a user without a stored password is
    /// refused.
    ///
    /// The store is queried and a comparison made even for a user that may not connect or has no password, so that
    /// response times don't reveal user names.
    ///
    /// - Parameters:
    ///   - service: the service under which the users' passwords are stored, each with the user as account.
    ///   - users: the users that may connect; nil allows every user with a password in the store.
    ///   - access: whether the store may show a prompt, and the time limit.
    /// - Returns: the check, for `ListenerConfiguration.passwordCheck`: it returns whether the user may connect and the
    ///   password is right. It throws if the store can't be read, for example while it is locked.
    public func passwordCheck(
        for service: CredentialService, users: Set<String>? = nil, access: CredentialAccess = .silent
    ) -> @Sendable (_ user: String, _ password: SharedSecret) async throws -> Bool {
        let standIn = users?.min()
        return { user, password in
            let isListed = !user.isEmpty && users?.contains(user) ?? true
            let asked = isListed ? user : standIn ?? user
            // No credential can have an invalid name: the empty account is queried instead.
            let named = try? CredentialReference(service: service, account: asked, kind: .password)
            let reference = try named ?? CredentialReference(service: service, account: "", kind: .password)
            let isRight: Bool
            do throws(CredentialError) {
                guard case .password(let stored) = try await self.read(reference, access: access) else { return false }
                isRight = stored.isEqual(to: password.duplicate())
            } catch {
                guard error.code == .notFound else { throw error }
                password.compareInVain()
                return false
            }
            return isRight && isListed && named != nil
        }
    }
}

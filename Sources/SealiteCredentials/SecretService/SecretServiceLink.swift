internal import CSecret

/// A connection to the session bus, and a session with the provider that owned the bus name when the link was opened.
///
/// Used on the worker's queue. Every method blocks, within the call's limit.
@safe
final class SecretServiceLink {
    private let connectionReference: GObjectReference
    private let serviceReference: GObjectReference
    /// The provider's unique name on the bus, such as `:1.7`.
    private let owner: String

    static let busName = "org.freedesktop.secrets"
    static let servicePath = "/org/freedesktop/secrets"
    static let serviceInterface = "org.freedesktop.Secret.Service"

    /// The connection to the bus; valid during the lifetime of the link.
    private var connection: OpaquePointer { unsafe OpaquePointer(connectionReference.pointer) }
    /// libsecret's proxy of the service; valid during the lifetime of the link.
    var service: UnsafeMutablePointer<SecretService> {
        unsafe serviceReference.pointer.assumingMemoryBound(to: SecretService.self)
    }

    /// Connects to the bus, starts the provider if the bus can start it, and opens a session for secrets.
    ///
    /// - Throws: `noSessionBus`, `noProvider`, `timedOut`, `cancelled`, `permission`.
    init(_ limit: CallLimit) throws(CredentialError) {
        let bus = try SessionBus.connect(limit)
        serviceReference = try Self.openService(SECRET_SERVICE_OPEN_SESSION, limit)
        let owner = try unsafe bus.withPointer { pointer throws(CredentialError) in
            try unsafe SessionBus.owner(of: Self.busName, OpaquePointer(pointer), limit)
        }
        guard let owner else {
            throw SecretServiceFailure.noProvider("no program on the session bus provides the Secret Service")
        }
        self.owner = owner
        connectionReference = bus
    }

    /// Opens a separate proxy instead of libsecret's process-wide one, so that calls of other code don't interfere.
    static func openService(
        _ flags: SecretServiceFlags, _ limit: CallLimit
    ) throws(CredentialError) -> GObjectReference {
        let (opened, error) = unsafe withGError {
            unsafe secret_service_open_sync(secret_service_get_type(), nil, flags, limit.cancellable.pointer, $0)
        }
        guard let service = unsafe GObjectReference(consuming: opened) else {
            throw SecretServiceFailure(error).credentialError(before: "a session was opened", limit)
        }
        return service
    }

    /// Returns whether the connection is open and the same provider still owns the bus name.
    ///
    /// - Throws: `timedOut` and `cancelled` only.
    func isCurrent(_ limit: CallLimit) throws(CredentialError) -> Bool {
        guard unsafe g_dbus_connection_is_closed(connection) == 0 else { return false }
        do throws(CredentialError) {
            return try unsafe SessionBus.owner(of: Self.busName, connection, limit) == owner
        } catch {
            if error.code == .timedOut || error.code == .cancelled { throw error }
            return false
        }
    }

    /// The only algorithm of the Secret Service that encrypts.
    /// <https://specifications.freedesktop.org/secret-service/latest/transfer-secrets.html>
    static let encryptingAlgorithm = "dh-ietf1024-sha256-aes128-cbc-pkcs7"

    /// The algorithm that encrypts secrets on the bus; `plain` if they aren't encrypted, `none` if it isn't known.
    var sessionAlgorithm: String {
        unsafe secret_service_get_session_algorithms(service).map { unsafe String(cString: $0) } ?? "none"
    }

    /// Reads a property from the provider itself, because proxies keep copies that may be outdated.
    func property(_ name: String, of interface: String, at path: String, _ limit: CallLimit)
        throws(CredentialError) -> Variant
    {
        let reply = try unsafe SessionBus.call(
            connection, owner, path, "org.freedesktop.DBus.Properties", "Get", [interface, name], limit)
        guard let content = reply.content else {
            throw CredentialError(
                .providerFailed, "the Secret Service's reply for the property \(name) is malformed",
                hint: "restart the program that provides the Secret Service, or choose a vault as the store")
        }
        return content
    }

    /// Calls a method of the service with texts as its arguments and returns the only value of the reply.
    func call(_ method: String, _ arguments: [String], _ limit: CallLimit) throws(CredentialError) -> Variant {
        let reply = try unsafe SessionBus.call(
            connection, owner, Self.servicePath, Self.serviceInterface, method, arguments, limit)
        guard let content = reply.content else {
            throw CredentialError(.providerFailed, "the Secret Service's reply to \(method) is malformed")
        }
        return content
    }

    /// Returns the name of the provider's process, for people; nil if it isn't available.
    func providerName(_ limit: CallLimit) -> String? {
        let reply = try? unsafe SessionBus.call(
            connection, SessionBus.name, SessionBus.path, SessionBus.name, "GetConnectionUnixProcessID",
            [owner], limit)
        guard let number = reply?.content?.number else { return nil }
        return SessionBus.processName(number)
    }
}

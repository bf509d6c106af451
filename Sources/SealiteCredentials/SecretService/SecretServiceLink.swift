internal import CSecret
internal import CSecretLoading

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

    /// Opens a separate proxy instead of libsecret's process-wide one, so that calls of other code don't interfere, and of a
    /// class that ignores the provider's signals.
    static func openService(
        _ flags: SecretServiceFlags, _ limit: CallLimit
    ) throws(CredentialError) -> GObjectReference {
        let (opened, error) = unsafe withGError {
            unsafe secret_service_open_sync(
                sealite_secret_service_type(), nil, flags, limit.cancellable.pointer, $0)
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

extension SecretServiceLink {
    /// The schema of Sealite's items. Searches ignore the schema's name, so that items of other tools are found.
    ///
    /// It is created once and never freed.
    // The initializer writes the structure before the pointer is visible, and no code writes it afterwards.
    nonisolated(unsafe) private static let schema: UnsafeMutablePointer<SecretSchema>? = {
        let types = unsafe g_hash_table_new_full(g_str_hash, g_str_equal, g_free, nil)
        for name in [AttributeNames.own.service, AttributeNames.own.account, AttributeNames.own.kind] {
            // The value is SECRET_SCHEMA_ATTRIBUTE_STRING, which is 0 and so the null pointer that GINT_TO_POINTER
            // would give.
            _ = unsafe g_hash_table_insert(types, g_strdup(name), nil)
        }
        defer { unsafe g_hash_table_unref(types) }
        return unsafe secret_schema_newv("org.sealite.Credential", SECRET_SCHEMA_DONT_MATCH_NAME, types)
    }()

    /// Returns the items that have the attributes which `attributes` returns for either of the names, locked ones
    /// included. Unlocks nothing and loads no secret.
    func search(
        _ limit: CallLimit, _ attributes: (AttributeNames) -> [String: String]
    ) throws(CredentialError) -> [SecretServiceItem] {
        var items: [SecretServiceItem] = []
        for names in AttributeNames.all { items += try search(attributes(names), names, limit) }
        return items
    }

    /// Returns the items of other programs that have these attributes, locked ones included. Unlocks nothing and loads
    /// no secret.
    func search(attributes: [String: String], _ limit: CallLimit) throws(CredentialError) -> [SecretServiceItem] {
        try search(attributes, nil, limit)
    }

    private func search(
        _ attributes: [String: String], _ names: AttributeNames?, _ limit: CallLimit
    ) throws(CredentialError) -> [SecretServiceItem] {
        let table = AttributeTable(attributes)
        let (found, error) = unsafe withGError { error in
            unsafe table.withPointer { attributes in
                unsafe secret_service_search_sync(
                    service, names == .own ? Self.schema : nil, attributes, SECRET_SEARCH_ALL,
                    limit.cancellable.pointer, error)
            }
        }
        let items = unsafe GObjectList(consuming: found)
        if error != nil { throw SecretServiceFailure(error).credentialError(before: "the search was answered", limit) }
        let hits = unsafe items.withElements { elements in
            unsafe elements.map { unsafe SecretServiceItem(retaining: $0) }
        }
        return hits.filter { item in
            (names == nil || item.form == names) && attributes.allSatisfy { item.attributes[$0.key] == $0.value }
        }
    }

    /// Creates an item, replacing an item with the same attributes. The collection is an object path, or `default` to
    /// have the default collection created first, with a prompt.
    func create(
        _ reference: CredentialReference, label: String, _ value: borrowing SecretValueReference,
        in collection: String, _ limit: CallLimit
    ) throws(CredentialError) {
        let table = AttributeTable(reference.attributes(.own))
        let (isStored, error) = unsafe withGError { error in
            unsafe table.withPointer { attributes in
                unsafe secret_service_store_sync(
                    service, Self.schema, attributes, collection, label, value.pointer,
                    limit.cancellable.pointer, error)
            }
        }
        guard isStored == 0 else { return }
        guard error != nil else {
            throw CredentialError(
                .promptDismissed, "the prompt to save the credential was dismissed, or could not be shown")
        }
        throw SecretServiceFailure(error).credentialError(before: "the item was made", limit)
    }

    /// Unlocks items, with a prompt if the provider requires one. Throws `promptDismissed` if one of them stays locked.
    func unlock(_ items: [SecretServiceItem], _ limit: CallLimit) throws(CredentialError) {
        let count = try unsafe unlock(service, items.map { unsafe $0.object }, limit)
        guard count >= items.count else { throw Self.stillLocked }
    }

    /// Unlocks objects for which the provider needs no prompt, such as a keyring without a password.
    ///
    /// - Returns: false if one of them stays locked, because a prompt would be needed; none is shown.
    func unlockWithoutPrompt(_ paths: [String], _ limit: CallLimit) throws(CredentialError) -> Bool {
        let reply = try unsafe SessionBus.call(
            connection, owner, Self.servicePath, Self.serviceInterface, "Unlock", paths: paths, limit)
        guard let (unlocked, prompt) = reply.pathsAndPath else {
            throw CredentialError(.providerFailed, "the Secret Service's reply to Unlock is malformed")
        }
        guard prompt == "/" else {
            // The provider waits for the prompt, or for its end.
            _ = try? unsafe SessionBus.call(
                connection, owner, prompt, "org.freedesktop.Secret.Prompt", "Dismiss", [], limit)
            return false
        }
        return Set(paths).isSubset(of: unlocked)
    }

    static var stillLocked: CredentialError {
        CredentialError(
            .promptDismissed, "the prompt to unlock the keyring was dismissed, or could not be shown",
            hint: "unlock the keyring in the desktop's password manager")
    }

    /// Unlocks objects and returns the number that the provider unlocked.
    func unlock(
        _ service: UnsafeMutablePointer<SecretService>, _ objects: [UnsafeMutableRawPointer], _ limit: CallLimit
    ) throws(CredentialError) -> Int {
        var unlocked: UnsafeMutablePointer<GList>?
        let (count, error) = unsafe withGError { error in
            unsafe withGList(of: objects) { list in
                unsafe secret_service_unlock_sync(service, list, limit.cancellable.pointer, &unlocked, error)
            }
        }
        _ = unsafe GObjectList(consuming: unlocked)
        if error != nil { throw SecretServiceFailure(error).credentialError(before: "the keyring was unlocked", limit) }
        return Int(count)
    }
}

extension CredentialReference {
    /// Returns the attributes of an item for the credential.
    func attributes(_ names: AttributeNames) -> [String: String] {
        [names.service: service.canonical, names.account: account, names.kind: kind.rawValue]
    }
}

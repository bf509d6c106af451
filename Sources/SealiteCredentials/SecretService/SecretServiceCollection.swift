internal import CSecret

/// A collection of the Secret Service with the properties that it had when they were read. Used on the worker's queue.
struct SecretServiceCollection {
    let path: String
    let label: String
    let isLocked: Bool

    private static let interface = "org.freedesktop.Secret.Collection"

    /// The last component of the path, by which people may know the collection.
    var identifier: String { path.split(separator: "/").last.map(String.init) ?? path }

    fileprivate static func read(
        _ path: String, _ link: SecretServiceLink, _ limit: CallLimit
    ) throws(CredentialError) -> SecretServiceCollection {
        let label = try link.property("Label", of: interface, at: path, limit).text
        let isLocked = try link.property("Locked", of: interface, at: path, limit).boolean
        guard let label, let isLocked else {
            throw CredentialError(
                .providerFailed, "the Secret Service's reply about collection \"\(path)\" is malformed")
        }
        return SecretServiceCollection(path: path, label: label, isLocked: isLocked)
    }
}

extension SecretServiceLink {
    /// Returns the provider's collections.
    func collections(_ limit: CallLimit) throws(CredentialError) -> [SecretServiceCollection] {
        let reply = try property("Collections", of: Self.serviceInterface, at: Self.servicePath, limit)
        guard let paths = reply.paths else {
            throw CredentialError(.providerFailed, "the Secret Service's list of collections is malformed")
        }
        var collections: [SecretServiceCollection] = []
        for path in paths {
            do throws(CredentialError) {
                collections.append(try .read(path, self, limit))
            } catch {
                // The collection was deleted after it was listed.
                guard error.code == .noCollection else { throw error }
            }
        }
        return collections
    }

    /// Returns the path of the collection that an alias refers to; nil if it refers to none. The path of the alias
    /// itself is never used, because KeePassXC doesn't always offer it.
    func path(ofAlias alias: String, _ limit: CallLimit) throws(CredentialError) -> String? {
        let path = try call("ReadAlias", [alias], limit).text
        return path == "/" ? nil : path
    }

    /// Unlocks collections, with a prompt if the provider requires one. Throws `promptDismissed` if one of them stays
    /// locked.
    func unlock(_ collections: [SecretServiceCollection], _ limit: CallLimit) throws(CredentialError) {
        let count = try unsafe withProxies(of: collections, limit) { service, objects throws(CredentialError) in
            try unsafe unlock(service, objects, limit)
        }
        guard count >= collections.count else { throw Self.stillLocked }
    }

    /// Locks collections of the Secret Service.
    func lock(_ collections: [SecretServiceCollection], _ limit: CallLimit) throws(CredentialError) {
        try unsafe withProxies(of: collections, limit) { service, objects throws(CredentialError) in
            var locked: UnsafeMutablePointer<GList>?
            let (_, error) = unsafe withGError { error in
                unsafe withGList(of: objects) { list in
                    unsafe secret_service_lock_sync(service, list, limit.cancellable.pointer, &locked, error)
                }
            }
            _ = unsafe GObjectList(consuming: locked)
            if error != nil {
                throw SecretServiceFailure(error).credentialError(before: "the keyring was locked", limit)
            }
        }
    }

    /// Passes libsecret's objects for collections to a closure. They come from a temporary service object, because a
    /// service object that has loaded its collections answers searches from copies that may be outdated.
    private func withProxies<R>(
        of collections: [SecretServiceCollection], _ limit: CallLimit,
        _ body: (UnsafeMutablePointer<SecretService>, [UnsafeMutableRawPointer]) throws(CredentialError) -> R
    ) throws(CredentialError) -> R {
        let paths = Set(collections.map(\.path))
        let reference = try Self.openService(SECRET_SERVICE_LOAD_COLLECTIONS, limit)
        return try unsafe reference.withPointer { object throws(CredentialError) in
            let service = unsafe object.assumingMemoryBound(to: SecretService.self)
            let proxies = unsafe GObjectList(consuming: secret_service_get_collections(service))
            return try unsafe proxies.withElements { elements throws(CredentialError) in
                try unsafe body(service, elements.filter { unsafe paths.contains(Self.path(of: $0)) })
            }
        }
    }

    private static func path(of proxy: UnsafeMutableRawPointer) -> String {
        let path = unsafe g_dbus_proxy_get_object_path(proxy.assumingMemoryBound(to: GDBusProxy.self))
        return unsafe path.map { unsafe String(cString: $0) } ?? ""
    }
}

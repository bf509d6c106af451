internal import CSecret
internal import FoundationEssentials
internal import SealiteCrypto

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

/// An item of the Secret Service that a search found, with its properties at that time. Used on the worker's queue.
@safe
final class SecretServiceItem {
    private let reference: GObjectReference
    let path: String
    let attributes: [String: String]
    let label: String
    let isLocked: Bool
    /// The time of creation in seconds since 1970; 0 if the provider doesn't state it.
    let created: UInt64
    let modified: UInt64

    init(retaining object: UnsafeMutableRawPointer) {
        unsafe reference = GObjectReference(retaining: object)
        let pointer = unsafe object.assumingMemoryBound(to: SecretItem.self)
        let proxy = unsafe object.assumingMemoryBound(to: GDBusProxy.self)
        path = unsafe g_dbus_proxy_get_object_path(proxy).map { unsafe String(cString: $0) } ?? ""
        attributes =
            unsafe secret_item_get_attributes(pointer).map { unsafe AttributeTable(consuming: $0).dictionary } ?? [:]
        let text = unsafe secret_item_get_label(pointer)
        label = unsafe text.map { unsafe String(cString: $0) } ?? ""
        unsafe g_free(text)
        isLocked = unsafe secret_item_get_locked(pointer) != 0
        created = unsafe UInt64(secret_item_get_created(pointer))
        modified = unsafe UInt64(secret_item_get_modified(pointer))
    }

    /// The borrowed GLib object of the item.
    var object: UnsafeMutableRawPointer { unsafe reference.pointer }

    private var item: UnsafeMutablePointer<SecretItem> {
        unsafe reference.pointer.assumingMemoryBound(to: SecretItem.self)
    }

    /// The names of the item's attributes.
    var form: AttributeNames {
        attributes[AttributeNames.own.kind] == nil ? .plain : .own
    }

    /// The object path of the item's collection.
    var collectionPath: String { path.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 } }

    /// The description of the item; nil if its attributes aren't those of a credential.
    var metadata: CredentialMetadata? {
        guard let service = attributes[form.service], let account = attributes[form.account],
            let kind = attributes[form.kind].flatMap(CredentialKind.init(rawValue:)),
            let canonical = try? CredentialService(service), canonical.canonical == service,
            let reference = try? CredentialReference(service: canonical, account: account, kind: kind)
        else { return nil }
        return CredentialMetadata(
            reference: reference, label: label, created: Self.date(created), modified: Self.date(modified),
            isLocked: isLocked)
    }

    private static func date(_ seconds: UInt64) -> Date? {
        seconds == 0 ? nil : Date(timeIntervalSince1970: Double(seconds))
    }

    /// Loads the item's record from the provider. Throws `damaged` if it is larger than a record can be.
    func loadSecret(_ limit: CallLimit) throws(CredentialError) -> SecretBytes {
        try KeyringText.record(of: try loadBytes(limit))
    }

    /// Loads the item's secret as the provider has it. Throws `damaged` if it is larger than a record can be.
    func loadBytes(_ limit: CallLimit) throws(CredentialError) -> SecretBytes {
        let (isLoaded, error) = unsafe withGError {
            unsafe secret_item_load_secret_sync(item, limit.cancellable.pointer, $0)
        }
        guard isLoaded != 0 else {
            throw SecretServiceFailure(error).credentialError(before: "the secret was read", limit)
        }
        guard let value = unsafe SecretValueReference(consuming: secret_item_get_secret(item)) else {
            throw CredentialError(
                .providerFailed, "the Secret Service returned the item without a secret",
                hint: "check the item in the desktop's password manager, or store the credential again")
        }
        // Locked memory is scarce: a value that is too large to be a record of this library isn't copied to it.
        guard value.byteCount <= KeyringText.maximumByteCount else {
            throw CredentialError.damaged(
                "a secret of \(value.byteCount) bytes is stored; the limit is \(KeyringText.maximumByteCount)")
        }
        return value.secret
    }

    /// Replaces the item's secret.
    func setSecret(_ value: borrowing SecretValueReference, _ limit: CallLimit) throws(CredentialError) {
        let (isSet, error) = unsafe withGError {
            unsafe secret_item_set_secret_sync(item, value.pointer, limit.cancellable.pointer, $0)
        }
        guard isSet != 0 else {
            throw SecretServiceFailure(error).credentialError(before: "the secret was replaced", limit)
        }
    }

    /// Replaces the item's label.
    func setLabel(_ label: String, _ limit: CallLimit) throws(CredentialError) {
        let (isSet, error) = unsafe withGError {
            unsafe secret_item_set_label_sync(item, label, limit.cancellable.pointer, $0)
        }
        guard isSet != 0 else {
            throw SecretServiceFailure(error).credentialError(before: "the label was replaced", limit)
        }
    }

    /// Deletes the item. Some providers show a prompt first.
    func delete(_ limit: CallLimit) throws(CredentialError) {
        let (isDeleted, error) = unsafe withGError {
            unsafe secret_item_delete_sync(item, limit.cancellable.pointer, $0)
        }
        guard isDeleted == 0 else { return }
        guard error != nil else {
            throw CredentialError(
                .promptDismissed, "the prompt to delete the item was dismissed, or could not be shown")
        }
        throw SecretServiceFailure(error).credentialError(before: "the item was deleted", limit)
    }
}

/// The names of the attributes of an item.
struct AttributeNames: Equatable {
    let service: String
    let account: String
    let kind: String

    /// The names that Sealite writes. Providers replace an item if all attributes of a new item are among its own, so that
    /// names which others use too would have their items replace ours.
    static let own = AttributeNames(service: "sealite-service", account: "sealite-account", kind: "sealite-kind")
    /// The names with which other programs write credentials, and earlier builds did.
    static let plain = AttributeNames(service: "service", account: "account", kind: "kind")
    static let all = [own, plain]
}

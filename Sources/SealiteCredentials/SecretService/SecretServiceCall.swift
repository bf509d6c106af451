internal import SealiteCrypto

/// The operations of a store on the provider (the program that implements the Secret Service), one method for each
/// method of `SecretServiceStore`. Used on the worker's queue.
struct SecretServiceCall {
    let store: SecretServiceStore
    let link: SecretServiceLink
    let limit: CallLimit

    /// Reads a record: searches without unlocking, unlocks only if interaction is allowed, reports absence only if
    /// nothing is locked, and accepts several items only if they are equal (Documentation/Credentials.md §4).
    func read(_ reference: CredentialReference) throws(CredentialError) -> SecretBytes {
        try checkSession()
        let scope = try scope()
        guard let secret = try secret(of: try provenItems(reference, scope), scope) else {
            throw CredentialError.notFound(reference, in: store.name)
        }
        return secret
    }

    /// Loads the secret of items that share one reference; nil for no items.
    ///
    /// - Throws: `duplicate` if their secrets differ.
    private func secret(
        of items: [SecretServiceItem], _ scope: SecretServiceScope
    ) throws(CredentialError) -> SecretBytes? {
        let items = scope.preferred(items)
        try unlock(items)
        guard let newest = items.first else { return nil }
        let secret = try newest.loadSecret(limit)
        for item in items.dropFirst() {
            guard try item.loadSecret(limit).isEqual(to: secret) else { throw duplicate(items) }
        }
        return secret
    }

    /// Finds the credentials of a service with one search and loads the secrets of those that match the account and the
    /// kinds.
    ///
    /// - Throws: the errors of ``list(_:)``, and errors that end the whole call; an error of one credential is kept in
    ///   the match.
    func match(
        _ service: CredentialService, _ account: String?, _ kinds: [CredentialKind]
    ) throws(CredentialError) -> CredentialMatch {
        let scope = try scope()
        let found = scope.sorted(try link.search(limit) { [$0.service: service.canonical] })
        let groups = Dictionary(grouping: found) { $0.metadata?.reference }
        var match = CredentialMatch(
            in: CredentialListing(items: found.compactMap(\.metadata), isComplete: scope.locked.isEmpty),
            of: store.name, service: service, account: account, kinds: kinds)
        for reference in match.wanted {
            do throws(CredentialError) {
                try checkSession()
                guard let secret = try secret(of: groups[reference] ?? [], scope) else { continue }
                match.keep(.success(SharedSecret(secret)), as: reference)
            } catch {
                // These errors end the whole call: the time limit applies to all credentials together, and if the
                // provider has ended, the whole call is tried again.
                guard ![.timedOut, .cancelled, .noProvider, .noSessionBus].contains(error.code) else { throw error }
                match.keep(.failure(error), as: reference)
            }
        }
        return match
    }

    func save(
        _ record: borrowing SecretBytes, as reference: CredentialReference, label: String?
    ) throws(CredentialError) {
        try checkSession()
        let scope = try scope()
        let value = SecretValueReference(KeyringText.form(of: record), contentType: reference.kind.contentType)
        let found = try scope.items(of: reference, link, limit)
        guard let newest = found.first else {
            let target = try unlockedTarget(scope)
            return try link.create(reference, label: label ?? reference.standardLabel, value, in: target, limit)
        }
        try unlock([newest])
        guard newest.form == .own else {
            // A program that ends here leaves both items, of which reads use the new one.
            try link.create(reference, label: label ?? newest.label, value, in: newest.collectionPath, limit)
            for old in found where !old.isLocked || old.path == newest.path { try old.delete(limit) }
            return
        }
        try newest.setSecret(value, limit)
        if let label, label != newest.label { try newest.setLabel(label, limit) }
        // Copies in a locked collection stay; a read ignores them while this item exists.
        for copy in found.dropFirst() where !copy.isLocked { try copy.delete(limit) }
    }

    func remove(_ reference: CredentialReference) throws(CredentialError) {
        let scope = try scope()
        // A locked collection may hide a copy, which would survive.
        if !scope.locked.isEmpty { try unlock(scope.locked, because: "a copy of the credential may be hidden") }
        let found = try scope.items(of: reference, link, limit)
        guard !found.isEmpty else { throw CredentialError.notFound(reference, in: store.name) }
        try unlock(found)
        for item in found { try item.delete(limit) }
        guard try scope.items(of: reference, link, limit).isEmpty else {
            throw CredentialError(.providerFailed, "the Secret Service reported the item as deleted, but still has it")
        }
    }

    func list(_ service: CredentialService?) throws(CredentialError) -> CredentialListing {
        let scope = try scope()
        var found: [SecretServiceItem] = []
        if let service {
            found = try link.search(limit) { [$0.service: service.canonical] }
        } else {
            for kind in CredentialKind.allCases {
                found += try link.search(limit) { [$0.kind: kind.rawValue] }
            }
        }
        return CredentialListing(
            items: found.filter(scope.isInside).compactMap(\.metadata), isComplete: scope.locked.isEmpty)
    }

    func unlock() throws(CredentialError) {
        let locked = try scope().locked
        if !locked.isEmpty { try unlock(locked, because: "a prompt is needed") }
    }

    func lock() throws(CredentialError) {
        try link.lock(try scope().collections.filter { !$0.isLocked }, limit)
    }

    func scope() throws(CredentialError) -> SecretServiceScope {
        try SecretServiceScope(store.collection, link, limit)
    }

    /// Returns the items under a reference that the provider shows. If it shows none, unlocks the locked collections
    /// and searches again, so that an empty result proves that there is no such item. Throws `locked` if prompts aren't
    /// allowed.
    private func provenItems(
        _ reference: CredentialReference, _ scope: SecretServiceScope
    ) throws(CredentialError) -> [SecretServiceItem] {
        let found = try scope.items(of: reference, link, limit)
        guard found.isEmpty, !scope.locked.isEmpty else { return found }
        try unlock(scope.locked, because: "the credential may be hidden")
        return try scope.items(of: reference, link, limit)
    }

    func unlock(_ items: [SecretServiceItem]) throws(CredentialError) {
        let locked = items.filter(\.isLocked)
        guard !locked.isEmpty else { return }
        guard limit.allowsInteraction else {
            if try link.unlockWithoutPrompt(locked.map(\.path), limit) { return }
            throw SecretServiceFailure.locked("the item or its keyring is locked")
        }
        try link.unlock(locked, limit)
    }

    func unlock(_ collections: [SecretServiceCollection], because why: String) throws(CredentialError) {
        guard limit.allowsInteraction else {
            if try link.unlockWithoutPrompt(collections.map(\.path), limit) { return }
            let names = collections.map { "\"\(printable($0.label))\"" }.joined(separator: ", ")
            throw SecretServiceFailure.locked("\(why), because of locked keyrings (collections): \(names)")
        }
        try link.unlock(collections, limit)
    }

    /// Unlocks the collection for new items if it is locked, and returns its object path; `default` if the provider has
    /// no default collection but may ask the person to create one.
    private func unlockedTarget(_ scope: SecretServiceScope) throws(CredentialError) -> String {
        guard let target = scope.target else {
            guard limit.allowsInteraction else {
                throw CredentialError(
                    .noCollection, "the Secret Service has no default collection (keyring)",
                    hint: "make a collection with the desktop's password manager, or allow a prompt")
            }
            return "default"
        }
        if target.isLocked { try unlock([target], because: "the credential can't be added") }
        return target.path
    }

    func checkSession() throws(CredentialError) {
        guard link.sessionAlgorithm != SecretServiceLink.encryptingAlgorithm, !store.allowsUnencryptedSession else {
            return
        }
        throw CredentialError(
            .unencryptedSession,
            "the Secret Service offers no encrypted session: secrets would cross the session bus unencrypted",
            hint: "use a provider that encrypts its sessions, or a vault")
    }

    private func duplicate(_ items: [SecretServiceItem]) -> CredentialError {
        let labels = items.map { "\"\(printable($0.label))\"" }.joined(separator: ", ")
        return CredentialError(
            .duplicate, "\(items.count) items with this service, account and kind have different secrets: \(labels)",
            hint:
                "store the credential again, which replaces all of them, or delete the wrong ones in the desktop's password manager"
        )
    }
}

extension CredentialKind {
    /// The MIME type with which a record of this kind is stored.
    var contentType: String {
        switch self {
        case .password, .bearer: "text/plain"
        case .session, .clientIdentity, .slotKey: "application/json"
        }
    }
}

/// The collections of the Secret Service that a store reads and writes, as they are when the value is created: which
/// exist, and whether they are locked. Used on the worker's queue.
struct SecretServiceScope {
    /// The collection for new items; nil if there is no default collection.
    let target: SecretServiceCollection?
    /// Every collection that may contain an item of the store.
    let collections: [SecretServiceCollection]
    private let sessionPath: String
    private let isStandard: Bool

    init(
        _ choice: SecretServiceStore.Collection, _ link: SecretServiceLink, _ limit: CallLimit
    ) throws(CredentialError) {
        let all = try link.collections(limit)
        let sessionPath = (try? link.path(ofAlias: "session", limit)) ?? "/org/freedesktop/secrets/collection/session"
        self.sessionPath = sessionPath
        isStandard = choice == .standard
        switch choice {
        case .standard:
            let path = try link.path(ofAlias: "default", limit)
            target = all.first { $0.path == path }
            collections = all.filter { $0.path != sessionPath }
        case .session:
            target = all.first { $0.path == sessionPath }
            collections = target.map { [$0] } ?? []
        case .named(let name):
            let matches = all.filter { $0.label == name || $0.identifier == name }
            guard matches.count <= 1 else {
                throw CredentialError(
                    .ambiguous, "\(matches.count) collections are called \"\(name)\"",
                    hint:
                        "name the collection by its identifier, one of: \(matches.map(\.identifier).joined(separator: ", "))"
                )
            }
            target = matches.first
            collections = matches
        }
        guard target != nil || choice == .standard else { throw Self.missing(choice, all) }
    }

    /// Returns the items of the store under a reference, newest first. Items in the default collection precede the
    /// others.
    func items(
        of reference: CredentialReference, _ link: SecretServiceLink, _ limit: CallLimit
    ) throws(CredentialError) -> [SecretServiceItem] {
        sorted(try link.search(limit) { reference.attributes($0) })
    }

    /// Returns the items that belong to the store, newest first. Items in the default collection precede the others, and
    /// before that items with Sealite's own attributes those with other names.
    func sorted(_ items: [SecretServiceItem]) -> [SecretServiceItem] {
        items.filter(isInside).sorted { left, right in
            guard left.form == right.form else { return left.form == .own }
            let (a, b) = (isInTarget(left), isInTarget(right))
            guard a == b else { return a }
            return (left.modified, left.path) > (right.modified, right.path)
        }
    }

    /// Returns the items that a read uses, of those with Sealite's own attributes or, if there are none, of all: the items
    /// in the default collection, or, if it has none, all.
    func preferred(_ items: [SecretServiceItem]) -> [SecretServiceItem] {
        let own = items.filter { $0.form == .own }
        let items = own.isEmpty ? items : own
        let inTarget = items.filter(isInTarget)
        return inTarget.isEmpty ? items : inTarget
    }

    /// The locked collections, which may hide items.
    var locked: [SecretServiceCollection] { collections.filter(\.isLocked) }

    /// Returns whether an item belongs to the store. With the default choice, every item that outlives the login
    /// session belongs to it, because the default collection may change: KeePassXC's is the database whose tab is in
    /// front.
    func isInside(_ item: SecretServiceItem) -> Bool {
        isStandard
            ? !item.path.hasPrefix(sessionPath + "/")
            : collections.contains { item.path.hasPrefix($0.path + "/") }
    }

    private func isInTarget(_ item: SecretServiceItem) -> Bool {
        target.map { item.path.hasPrefix($0.path + "/") } ?? false
    }

    private static func missing(
        _ choice: SecretServiceStore.Collection, _ all: [SecretServiceCollection]
    ) -> CredentialError {
        let names = all.map { "\"\($0.label.isEmpty ? $0.identifier : printable($0.label))\"" }.joined(separator: ", ")
        return CredentialError(
            .noCollection, "the Secret Service has no collection (keyring) \(choice)",
            hint: names.isEmpty
                ? "it has no collection: create one with the desktop's password manager"
                : "the collections that exist: \(names)"
        )
    }
}

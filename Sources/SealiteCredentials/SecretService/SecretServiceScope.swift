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
        sorted(try link.search(reference.attributes, limit))
    }

    /// Returns the items that belong to the store, newest first. Items in the default collection precede the others.
    func sorted(_ items: [SecretServiceItem]) -> [SecretServiceItem] {
        items.filter(isInside).sorted { left, right in
            let (a, b) = (isInTarget(left), isInTarget(right))
            guard a == b else { return a }
            return (left.modified, left.path) > (right.modified, right.path)
        }
    }

    /// Returns the items that a read uses: the items in the default collection, or, if it has none, all items.
    func preferred(_ items: [SecretServiceItem]) -> [SecretServiceItem] {
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

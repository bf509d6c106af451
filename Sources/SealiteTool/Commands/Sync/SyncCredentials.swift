import SealiteCredentials
import SealiteReplicator

/// The credentials that `sealite sync` could have sent, for the error of a remote that refused a connection without
/// credentials.
struct SyncCredentials {
    let url: String
    let user: String?
    let isAnonymous: Bool

    /// Returns the error with a hint that no credential was sent, and which credentials are stored for the same host.
    func explained(_ error: ToolError, _ key: KeyOptions) -> ToolError {
        guard error.status == .wrongKey, !isAnonymous, let service = try? CredentialService(url) else { return error }
        let items = (try? near(service, key)) ?? []
        guard !items.contains(where: { $0.service == service && (user == nil || $0.account == user) }) else {
            return error
        }
        var explained = error
        explained.remarks.append("no credential was shown: none is stored for \(url)")
        let others = items.filter { Self.host($0.service) == Self.host(service) }
        if !others.isEmpty {
            let list = others.map { $0.account.isEmpty ? "\($0.service)" : "\($0.service) (\($0.account))" }
            explained.remarks.append("stored for this host: \(Set(list).sorted().joined(separator: ", "))")
        }
        explained.hint = "store it with 'sealite credential set \(url) --user NAME'"
        return explained
    }

    private func near(_ service: CredentialService, _ key: KeyOptions) throws -> [CredentialReference] {
        let (store, permission) = (key.store, key.asking.permission)
        guard try store.isChosen() || Credentials.mayHaveStore() else { return [] }
        return try waiting {
            let opened = try await store.open(permission).store
            return try await opened.list(service: nil, access: store.access(permission)).items.map(\.reference)
                .filter { $0.kind != .slotKey }
        }
    }

    /// The host of an endpoint, with its port; nil for a name.
    private static func host(_ service: CredentialService) -> Substring? {
        guard service.scheme != nil else { return nil }
        return service.canonical.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: true).dropFirst().first
    }
}

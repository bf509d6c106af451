import ArgumentParser
import Foundation
import SealiteCredentials

/// The arguments that name a credential: the service, the user and the kind.
struct CredentialTarget: ParsableArguments {
    @Argument(help: "The service of the credential: an endpoint, as https://host/database, or a name.")
    var service: String

    @Option(help: ArgumentHelp("The user of the credential.", valueName: "name"))
    var user: String?

    @Option(help: "The kind of the credential.")
    var kind: CredentialKind?

    /// Returns the reference of the matching credential. If several accounts have one, `--user` must decide. If the
    /// user and the kind are given, the store isn't queried.
    func find(in store: any CredentialStore, _ access: CredentialAccess) async throws -> CredentialReference {
        let service = try CredentialService(service)
        if let user, let kind { return try CredentialReference(service: service, account: user, kind: kind) }
        let kinds = kind.map { [$0] } ?? CredentialKind.endpointKinds + [.slotKey]
        return try await store.find(service: service, account: user, kinds: kinds, access: access)
    }

    /// Returns the reference of the only matching credential, for an irreversible operation: if an account has several
    /// kinds, `--kind` must decide.
    func findOnly(in store: any CredentialStore, _ access: CredentialAccess) async throws -> CredentialReference {
        let best = try await find(in: store, access)
        guard kind == nil else { return best }
        let kinds = try await store.list(service: best.service, access: access).items.map(\.reference)
            .filter { $0.account == best.account }.map(\.kind.rawValue)
        guard Set(kinds).count < 2 else {
            let list = Set(kinds).sorted().joined(separator: ", ")
            throw CredentialError(
                .ambiguous, "\(store.name) holds credentials of several kinds for \"\(best.service)\": \(list)",
                hint: "name the kind with --kind")
        }
        return best
    }
}

extension CredentialMetadata {
    var json: JSONValue {
        .object([
            ("service", .text(reference.service.canonical)), ("account", .text(reference.account)),
            ("kind", .text(reference.kind.rawValue)), ("label", .text(label)),
            ("created", created.map { .text($0.ISO8601Format()) } ?? .null),
            ("modified", modified.map { .text($0.ISO8601Format()) } ?? .null), ("locked", .bool(isLocked)),
        ])
    }

    /// The item as a line of a list: an endpoint as it was given, and the database that a slot key opens.
    var line: String {
        let whose = reference.account.isEmpty ? "" : "  \(reference.account)"
        let opens = database.map { "  opens \($0)" } ?? ""
        return "\(reference.kind.rawValue.padded(to: 15))  \(given)\(whose)\(opens)\(isLocked ? "  (locked)" : "")"
    }

    /// The endpoint in the form in which it was given when the item was saved, which the label contains; otherwise the
    /// canonical form.
    var given: String {
        guard reference.service.scheme != nil else { return reference.service.canonical }
        return label.split(separator: " ").map(String.init)
            .first { $0.contains("://") && (try? CredentialService($0)) == reference.service }
            ?? reference.service.canonical
    }

    /// The database that a slot key opens, from the label; nil for other credentials.
    private var database: String? {
        let prefix = "Sealite database key of "
        guard reference.kind == .slotKey, label.hasPrefix(prefix) else { return nil }
        return String(label.dropFirst(prefix.count))
    }
}

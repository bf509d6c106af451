import ArgumentParser
import Foundation
import SealiteCredentials

/// The credential for a command.
struct CredentialTarget: ParsableArguments {
    @Argument(help: "What it is for: the endpoint, as https://host/database, or a name.")
    var service: String

    @Option(help: ArgumentHelp("Whose it is.", valueName: "name"))
    var user: String?

    @Option(help: "Its kind: password, session, client-identity, bearer or slot-key.")
    var kind: CredentialKind?

    /// Returns the only matching credential. If several accounts have one, `--user` decides.
    func find(in store: any CredentialStore, _ access: CredentialAccess) async throws -> CredentialReference {
        let service = try CredentialService(service)
        if let user, let kind { return try CredentialReference(service: service, account: user, kind: kind) }
        let kinds = kind.map { [$0] } ?? CredentialKind.endpointKinds + [.slotKey]
        return try await store.find(service: service, account: user, kinds: kinds, access: access)
    }

    /// Returns the only matching credential for an irreversible operation: if an account has several kinds, `--kind`
    /// must decide.
    func findOnly(in store: any CredentialStore, _ access: CredentialAccess) async throws -> CredentialReference {
        let best = try await find(in: store, access)
        guard kind == nil else { return best }
        let kinds = try await store.list(service: best.service, access: access).items.map(\.reference)
            .filter { $0.account == best.account }.map(\.kind.rawValue)
        guard Set(kinds).count < 2 else {
            let list = Set(kinds).sorted().joined(separator: ", ")
            throw CredentialError(
                .ambiguous, "\(store.name) holds several kinds for \"\(best.service)\": \(list)",
                hint: "say which with --kind")
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

    /// The item as a line of a list.
    var line: String {
        let whose = reference.account.isEmpty ? "" : "  \(reference.account)"
        return "\(reference.kind.rawValue.padded(to: 15))  \(reference.service)\(whose)\(isLocked ? "  (locked)" : "")"
    }
}

import ArgumentParser
import SealiteCredentials

extension CredentialCommand {
    /// The command `sealite credential rename`, which stores the credentials of a service under another service.
    struct Rename: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rename",
            abstract: "Store credentials under another service.",
            discussion: """
                Moves all credentials of a service, for all users and of all kinds, to another service in the same \
                store. Each credential is saved under the new service before it is removed from the old one.

                Example: sealite credential rename https://old.example.com/notes https://new.example.com/notes
                """)

        @Argument(help: "The current service of the credentials.")
        var service: String

        @Argument(help: "The new service of the credentials.")
        var newService: String

        @Flag(help: "Replace existing credentials of the new service.")
        var replace = false

        @OptionGroup(title: HelpSections.store) var store: StoreOptions
        @OptionGroup(title: HelpSections.keys) var asking: AskingOptions
        @OptionGroup var output: OutputOptions

        func run() throws {
            let (access, permission) = (store.access(asking.permission), asking.permission)
            let (old, new) = (try CredentialService(service), try CredentialService(newService))
            guard old != new else { throw ToolError.usage("the current and the new service are the same: \"\(old)\"") }
            let count = try waiting { () -> Int in
                let store = try await store.open(permission).store
                let items = try await items(of: old, in: store, access)
                if !replace { try await requireFree(new, items.map(\.reference), in: store, access) }
                for item in items {
                    let reference = item.reference
                    let renamed = try CredentialReference(
                        service: new, account: reference.account, kind: reference.kind)
                    try await store.save(
                        try await store.read(reference, access: access), service: new, account: reference.account,
                        label: item.ownLabel ?? renamed.label(given: newService), access: access)
                    try await store.remove(reference, access: access)
                }
                return items.count
            }
            if output.json {
                Console.print(
                    JSONValue.object([("renamed", .integer(Int64(count))), ("service", .text(new.canonical))]).encoded)
            } else {
                Console.confirm("renamed \(count) to \(new)".withoutControls)
            }
        }

        /// Returns what is stored for a service, one item for each reference.
        private func items(
            of service: CredentialService, in store: any CredentialStore, _ access: CredentialAccess
        ) async throws -> [CredentialMetadata] {
            let listing = try await store.list(service: service, access: access)
            guard listing.isComplete else {
                throw CredentialError(
                    .locked, "a part of \(store.name) is locked and may hold more credentials for \"\(service)\"",
                    hint: "unlock it first")
            }
            var seen: Swift.Set<CredentialReference> = []
            let found = listing.items.filter { seen.insert($0.reference).inserted }
            guard !found.isEmpty else {
                throw CredentialError(.notFound, "\(store.name) holds no credential for \"\(service)\"")
            }
            guard !found.contains(where: { $0.reference.kind == .slotKey }) else {
                throw CredentialError(
                    .invalidArgument,
                    "\"\(service)\" has the key of a database's key slot, which can't be renamed: it is found by the slot's id"
                )
            }
            return found
        }

        private func requireFree(
            _ service: CredentialService, _ references: [CredentialReference], in store: any CredentialStore,
            _ access: CredentialAccess
        ) async throws {
            let taken = try await store.list(service: service, access: access).items.map(\.reference)
            for reference in references {
                let target = try CredentialReference(
                    service: service, account: reference.account, kind: reference.kind)
                guard !taken.contains(target) else {
                    throw CredentialError(
                        .exists, "\(store.name) already holds the credential \(target)",
                        hint: "give --replace to replace it")
                }
            }
        }
    }
}

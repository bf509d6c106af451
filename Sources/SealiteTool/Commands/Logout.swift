import ArgumentParser
import Foundation
import SealiteAuthentication
import SealiteBase
import SealiteCredentials
import SealiteFile
import SealiteReplicator

/// The command `sealite logout`, which ends a session on the server, and removes it from the credential store.
struct Logout: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout",
        abstract: "End a session on the server, and remove it from the credential store.",
        discussion: """
            If the server can't be reached, the session stays stored, unless --local is given. A stored password \
            always stays.

            Example: sealite logout https://sync.example.com/notes --user ana
            """)

    @OptionGroup var target: EndpointOptions

    @Flag(help: "Remove the session from the store without contacting the server.")
    var local = false

    @OptionGroup(title: HelpSections.store) var store: StoreOptions
    @OptionGroup(title: HelpSections.keys) var asking: AskingOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let (endpoint, client) = (try target.endpoint, try target.client)
        let access = store.access(asking.permission)
        let (reference, name) = try waiting {
            let opened = try await store.open(asking.permission).store
            let reference = try await storedSession(for: endpoint, in: opened, access)
            if !local, case .session(let session) = try await opened.read(reference, access: access) {
                try await client.logOut(of: endpoint, session: session)
            }
            try await opened.remove(reference, access: access)
            return (reference, opened.name)
        }
        output.report("removed", reference, in: name, given: target.url)
    }

    /// Returns the reference of the stored session; the error for a missing one names the command that begins one.
    private func storedSession(
        for endpoint: CredentialService, in store: any CredentialStore, _ access: CredentialAccess
    ) async throws(CredentialError) -> CredentialReference {
        do throws(CredentialError) {
            return try await store.find(service: endpoint, account: target.user, kinds: [.session], access: access)
        } catch {
            guard error.code == .notFound else { throw error }
            throw CredentialError(.notFound, error.reason, hint: LoginRemedy.logIn.hint)
        }
    }
}

import ArgumentParser
import Foundation
import SealiteAuthentication
import SealiteCredentials
import SealiteCrypto
import SealiteFile
import SealiteReplicator

/// The command `sealite login`, which logs in to a server, and keeps the session in the credential store.
struct Login: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Log in to a server, and keep the session in the credential store.",
        discussion: """
            The password is read from the store; if none is stored for the user that --user names, it is asked for and not kept. Only the \
            session is stored, until it ends.

            Example: sealite login https://sync.example.com/notes --user ana
            """)

    @OptionGroup var target: EndpointOptions
    @OptionGroup(title: HelpSections.store) var store: StoreOptions
    @OptionGroup(title: HelpSections.keys) var asking: AskingOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let (endpoint, client) = (try target.endpoint, try target.client)
        let access = store.access(asking.permission)
        let (reference, name) = try waiting {
            let opened = try await store.open(asking.permission, makesVault: true).store
            let known = try await password(for: endpoint, in: opened, access)
            let reference = try CredentialReference(service: endpoint, account: known.account, kind: .session)
            let session = try await client.logIn(to: endpoint, name: known.account, password: known.secret.secret)
            try await opened.save(
                .session(session), service: endpoint, account: known.account,
                label: reference.label(given: target.url), access: access)
            return (reference, opened.name)
        }
        output.report("stored", reference, in: name, given: target.url)
    }

    private struct Known: Sendable {
        let account: String
        let secret: SharedSecret
    }

    /// Returns the stored password with its account. If it is certain that none is stored, asks for one on the
    /// terminal, provided that `--user` names the account and questions are allowed.
    private func password(
        for endpoint: CredentialService, in store: any CredentialStore, _ access: CredentialAccess
    ) async throws -> Known {
        do throws(CredentialError) {
            let reference = try await store.find(
                service: endpoint, account: target.user, kinds: [.password], access: access)
            guard case .password(let secret) = try await store.read(reference, access: access) else {
                throw CredentialError(.damaged, "the stored credential \(reference) isn't a password")
            }
            return Known(account: reference.account, secret: SharedSecret(secret))
        } catch {
            // The password is asked for only if its absence is proven, not if the store is locked.
            guard error.code == .notFound, let user = target.user, asking.permission.isGiven else { throw error }
            return Known(
                account: user, secret: SharedSecret(try Terminal.secret("Password of \(user) for \(endpoint)")))
        }
    }
}

extension ToolError {
    init(_ error: AuthenticationError) {
        let status: ExitStatus =
            switch error.code {
            case .rejected: .wrongKey
            case .notFound: .noInput
            case .ambiguous, .unencrypted: .usage
            case .unusable: .damaged
            case .storeLocked, .storeUnavailable, .unreachable, .serverFailed: .unavailable
            case .unknownHost: .noHost
            case .untrusted, .badAnswer: .protocolFailed
            case .storePermission: .permission
            case .cancelled: .failed
            }
        self.init(status, code: error.code.rawValue, error.reason, hint: error.hint)
    }
}

import ArgumentParser
import Foundation
import SealiteAuthentication
import SealiteCredentials
import SealiteCrypto

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
    @OptionGroup var options: CredentialOptions
    func run() throws {
        let (endpoint, client) = (try target.endpoint, try target.client)
        let access = options.access
        let (reference, name) = try waiting {
            let opened = try await options.open(makesVault: true)
            let known = try await password(for: endpoint, in: opened, access)
            let reference = try CredentialReference(service: endpoint, account: known.account, kind: .session)
            let session = try await client.logIn(to: endpoint, name: known.account, password: known.secret.secret)
            try await opened.save(
                .session(session), service: endpoint, account: known.account,
                label: reference.label(given: target.url), access: access)
            return (reference, opened.name)
        }
        options.output.report("stored", reference, in: name, given: target.url)
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
            guard error.code == .notFound, let user = target.user, options.permission.isGiven else { throw error }
            return Known(
                account: user, secret: SharedSecret(try Terminal.secret("Password of \(user) for \(endpoint)")))
        }
    }
}

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

    @OptionGroup var options: CredentialOptions
    func run() throws {
        let (endpoint, client) = (try target.endpoint, try target.client)
        let access = options.access
        let (reference, name) = try waiting {
            let opened = try await options.open()
            let reference = try await storedSession(for: endpoint, in: opened, access)
            if !local, case .session(let session) = try await opened.read(reference, access: access) {
                try await client.logOut(of: endpoint, session: session)
            }
            try await opened.remove(reference, access: access)
            return (reference, opened.name)
        }
        options.output.report("removed", reference, in: name, given: target.url)
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

/// The server for `login` and `logout`, and the certificates to trust.
struct EndpointOptions: ParsableArguments {
    @Argument(help: "The database on the server, as https://host/database or wss://host/database.")
    var url: String

    @Option("name", help: "The user of the session.")
    var user: String?

    @OptionGroup(title: "Server trust") var trust: SyncTrustOptions

    @Flag(help: "Allow the password or session to be sent unencrypted to another machine.")
    var allowUnencrypted = false

    @Option("seconds", help: "Wait this long for the server.")
    var serverTimeout = 30.0

    func validate() throws {
        guard (0.1...3600).contains(serverTimeout) else {
            throw ValidationError("--server-timeout takes 0.1 to 3600 seconds.")
        }
    }

    var endpoint: CredentialService {
        get throws {
            let service = try CredentialService(url)
            guard service.scheme != nil else {
                throw ToolError.usage(
                    "\"\(url)\" isn't the URL of a database on a server", hint: "give it as https://host/database")
            }
            return service
        }
    }

    var client: SessionClient {
        get throws {
            SessionClient(
                trust: try trust.trust, timeLimit: .milliseconds(Int64(serverTimeout * 1000)),
                allowsUnencrypted: allowUnencrypted)
        }
    }
}

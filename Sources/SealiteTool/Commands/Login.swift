import ArgumentParser
import Foundation
import SealiteAuthentication
import SealiteCredentials
import SealiteCrypto
import SealiteFile
import SealiteReplicator

/// The server for `login` and `logout`, and the certificates to trust.
struct EndpointOptions: ParsableArguments {
    @Argument(help: "The database on the server, as https://host/database or wss://host/database.")
    var url: String

    @Option(help: ArgumentHelp("The user of the session.", valueName: "name"))
    var user: String?

    @OptionGroup(title: "Whom to trust") var trust: SyncTrustOptions

    @Flag(help: "Allow the password or session to be sent unencrypted to another machine.")
    var allowUnencrypted = false

    @Option(help: ArgumentHelp("Wait this long for the server.", valueName: "seconds"))
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
                throw ToolError.usage("\"\(url)\" is no endpoint", hint: "give it as https://host/database")
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

/// `sealite login`
struct Login: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Log in to a server, and keep the session in the credential store.",
        discussion: """
            The password is the one in the store. Where there is none it is asked for, and not kept: the session alone is, until \
            it ends.

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
            let session = try await client.logIn(to: endpoint, name: known.account, password: known.secret.secret)
            try await opened.save(
                .session(session), service: endpoint, account: known.account, label: nil, access: access)
            let reference = try CredentialReference(service: endpoint, account: known.account, kind: .session)
            return (reference, opened.name)
        }
        output.report("stored", reference, in: name)
    }

    private struct Known: Sendable {
        let account: String
        let secret: SharedSecret
    }

    /// Returns the stored password, or one that a person types.
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

/// `sealite logout`
struct Logout: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout",
        abstract: "End a session on the server, and remove it from the credential store.",
        discussion: """
            Where the server can't be reached the session stays stored, unless --local is given. A stored password stays \
            in any case.

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
            let reference = try await opened.find(
                service: endpoint, account: target.user, kinds: [.session], access: access)
            if !local, case .session(let session) = try await opened.read(reference, access: access) {
                try await client.logOut(of: endpoint, session: session)
            }
            try await opened.remove(reference, access: access)
            return (reference, opened.name)
        }
        output.report("removed", reference, in: name)
    }
}

extension ToolError {
    init(_ error: AuthenticationError) {
        let status: ExitStatus =
            switch error.code {
            case .rejected: .wrongKey
            case .notFound: .noInput
            case .ambiguous, .unencrypted: .usage
            case .unusable, .badAnswer: .damaged
            case .storeLocked, .storeUnavailable, .unreachable, .untrusted, .serverFailed: .unavailable
            case .storePermission: .permission
            case .cancelled: .tryAgain
            }
        self.init(status, code: error.code.rawValue, error.reason, hint: error.hint)
    }
}

import ArgumentParser
import Foundation
import SealiteAuthentication
import SealiteCredentials
import SealiteCrypto
import SealiteFile

/// The credentials that `sealite sync` could have sent. They are named in the error if the remote refused a connection
/// without credentials, or with a session that has ended.
struct SyncCredentials {
    let url: String
    let user: String?
    let isAnonymous: Bool

    /// Returns an error about a refused or missing credential with a hint: to leave out `--anonymous`, to log in again
    /// if there is a session and no password, to replace the password that was refused, or to store a credential if
    /// none is stored for the URL. After a refusal in the last case, the remarks name the credentials for other
    /// databases of the same host. Any other error is returned unchanged, also one about a client certificate, which no
    /// password replaces.
    func explained(_ error: ToolError, _ key: KeyOptions) -> ToolError {
        let isRefused = error.status == .wrongKey
        if isRefused, isAnonymous {
            var explained = error
            explained.hint = "leave out --anonymous, so that a stored credential is sent"
            return explained
        }
        guard isRefused && !error.isOfClientCertificate || error.code == AuthenticationError.Code.notFound.rawValue,
            let service = try? CredentialService(url)
        else { return error }
        let items = (try? near(service, key)) ?? []
        let references = items.map(\.reference)
        let own = Set(references.filter { $0.service == service && (user == nil || $0.account == user) }.map(\.kind))
        var explained = error
        if own.contains(.session), !own.contains(.password) {
            explained.remarks.append(
                "the stored session has ended or was refused, and no password is stored to log in with")
            explained.hint = "log in again with 'sealite login \(url.shellArgument)'"
            return explained
        }
        guard own.isEmpty else { return namingPassword(error, own) }
        explained.hint = "store a credential with '\(storing)'"
        guard isRefused else { return explained }
        explained.remarks.append("no credential was sent: none is stored for \(url)")
        let others = items.filter { Self.host($0.reference.service) == Self.host(service) }
        if !others.isEmpty {
            let list = others.map { $0.reference.account.isEmpty ? $0.given : "\($0.given) (\($0.reference.account))" }
            explained.remarks.append(
                "credentials that are stored for this host: \(Set(list).sorted().joined(separator: ", "))")
        }
        return explained
    }

    /// Returns the error with a remark that the stored password was refused, and a hint to replace it; the error itself
    /// if the remote may have refused a certificate or another credential.
    private func namingPassword(_ error: ToolError, _ own: Set<CredentialKind>) -> ToolError {
        guard error.code == AuthenticationError.Code.rejected.rawValue, own.contains(.password),
            own.isSubset(of: [.password, .session])
        else { return error }
        var explained = error
        explained.remarks.append("the password that is stored for \(url) was refused")
        explained.hint = "replace it with '\(storing)'"
        return explained
    }

    /// The command that stores a credential.
    private var storing: String {
        "sealite credential set \(url.shellArgument) --user \(user?.shellArgument ?? "NAME")"
    }

    private func near(_ service: CredentialService, _ key: KeyOptions) throws -> [CredentialMetadata] {
        let (store, permission) = (key.store, key.asking.permission)
        guard try store.isChosen() || Credentials.mayHaveStore() else { return [] }
        return try waiting {
            let opened = try await store.open(permission).store
            return try await opened.list(service: nil, access: store.access(permission)).items
                .filter { $0.reference.kind != .slotKey }
        }
    }

    /// Returns the host of an endpoint, with its port; nil if the service is a name.
    private static func host(_ service: CredentialService) -> Substring? {
        guard service.scheme != nil else { return nil }
        return service.canonical.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: true).dropFirst().first
    }
}

/// The servers that `sealite sync`, `login` and `logout` trust.
struct SyncTrustOptions: ParsableArguments {
    @Option(
        "hex|file", name: .customLong("pin"),
        help:
            "Trust only a server with this public key: its SHA-256 in hex, or a file with its certificate. May be repeated."
    )
    var pins: [String] = []

    @Flag(help: "Accept any self-signed certificate of the server: anyone on the network path can have made it.")
    var selfSigned = false

    @Option("file", help: "Trust the issuers in this PEM file in addition to the system's.")
    var ca: String?

    func validate() throws {
        try ValidationError.requireOne(("--pin", !pins.isEmpty), ("--self-signed", selfSigned), ("--ca", ca != nil))
    }

    private var roots: [[UInt8]] {
        get throws { try ca.map { try Self.certificates($0) } ?? [] }
    }

    var trust: ServerTrust {
        get throws {
            if selfSigned { return .selfSigned }
            guard pins.isEmpty else { return .pinned(try pins.flatMap { try Self.pin($0) }) }
            return .system(additionalRoots: try roots)
        }
    }

    private static func pin(_ text: String) throws -> [ServerTrust.Pin] {
        if let digest = digest(text) { return [.publicKeyDigest(digest)] }
        guard !text.allSatisfy(\.isHexDigit) || FileManager.default.fileExists(atPath: text) else {
            throw ToolError.usage(
                "--pin takes a SHA-256 of 64 hex digits, or a file, and was given \(text.count) hex digits",
                hint: "'sealite serve' prints the server's pin")
        }
        return try certificates(text).map { .certificate($0) }
    }

    /// Returns 32 bytes from hex digits; nil for any other text.
    private static func digest(_ text: String) -> [UInt8]? { text.utf8.count == 64 ? Hexadecimal.bytes(of: text) : nil }

    static func certificates(_ path: String) throws -> [[UInt8]] {
        try ClientIdentity.certificates(
            pem: try KeySource.file(path).contents(limit: ClientIdentity.maximumByteCount, isSecret: false))
    }
}

// What `make bench` says of the vault: 1,000 credentials saved one by one, listed, and read back, each in milliseconds of the
// wall clock. The vault is opened anew before it is read, so that nothing comes from a cache.
import Foundation
import SealiteCredentials
import SealiteCrypto
import SealiteFile

let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 1000
let folder = NSTemporaryDirectory() + "sealite-credentials-\(getpid())"
try FileManager.default.createDirectory(
    atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
defer { try? FileManager.default.removeItem(atPath: folder) }
let access = CredentialAccess(allowsInteraction: false, timeLimit: .seconds(600))

/// Times work and prints it.
func measure(_ name: String, _ body: () async throws -> Void) async rethrows {
    let wall = try await ContinuousClock().measure(body)
    let seconds = Double(wall.components.seconds) + Double(wall.components.attoseconds) / 1e18
    print("vault, \(count) credentials \(name): \(Int(seconds * 10_000) / 10) ms")
}

/// A key that is the same each time: nothing of worth is in this vault.
func key() -> SecretBytes {
    unsafe SecretBytes(byteCount: 32) { unsafe $0.copyBytes(from: [UInt8](repeating: 7, count: 32)) }
}

func reference(_ number: Int) throws -> CredentialReference {
    try CredentialReference(
        service: try CredentialService("https://sync.example.com/notes\(number)"), account: "user\(number)",
        kind: .password)
}

let made = try await VaultStore.create(at: folder + "/vault.db", secret: .rawKey(key()))
try await measure("saved") {
    for number in 0..<count {
        let password = unsafe SecretBytes(byteCount: 24) { unsafe $0.copyBytes(from: Array("password \(number)".utf8)) }
        let reference = try reference(number)
        try await made.save(
            .password(password), service: reference.service, account: reference.account, label: nil, access: access)
    }
}
await made.lock()
let opened = try await VaultStore.open(at: folder + "/vault.db", key: .rawKey(key()))
try await measure("listed") {
    let listed = try await opened.list(service: nil, access: access).items.count
    guard listed == count else { fatalError("\(listed) of \(count) credentials were listed") }
}
try await measure("read") {
    for number in 0..<count { _ = try await opened.read(try reference(number), access: access) }
}

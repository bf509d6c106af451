import Foundation
import SealiteTestSupport
import Testing

@testable import SealiteCredentials

extension SecretServiceTests {
    /// Items as `keyring` 23 to 25 writes them; scripts/soak.d/51-python-keyring.sh has the package itself.
    @Suite("the import of what Python's keyring stored")
    struct PythonKeyringTests {
        private let tool: String = {
            let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
            return URL(filePath: own).deletingLastPathComponent().appending(path: "sealite").path
        }()

        private func importing(_ keyring: Keyring, _ arguments: String...) throws -> CommandResult {
            try run(
                [
                    "-C", keyring.folder, tool, "credential", "import", "--from", "python-keyring", "--store-timeout",
                    "60",
                ]
                    + arguments, environment: keyring.environment)
        }

        private func keep(
            _ keyring: Keyring, _ service: String, _ user: String, _ password: String,
            names: (service: String, user: String) = ("service", "username")
        ) throws {
            let stored = try keyring.secretTool(
                "store",
                [
                    "--label=Password for '\(user)' on '\(service)'", "application", "Python keyring library",
                    names.service, service, names.user, user,
                ], input: password)
            #expect(stored.status == 0, "\(stored.errors)")
        }

        private func object(_ text: some Sequence<UInt8>) -> [String: Any] {
            (try? JSONSerialization.jsonObject(with: Data(text)) as? [String: Any]) ?? [:]
        }

        private func states(_ result: CommandResult) -> [String: String] {
            let items = object(result.output)["items"] as? [[String: Any]] ?? []
            return Dictionary(
                items.map { ("\($0["service"] ?? "")/\($0["account"] ?? "")", $0["state"] as? String ?? "") }
            ) { $1 }
        }

        private func stored(_ service: String, _ account: String) async throws -> String? {
            text(try await SecretServiceStore().read(reference(service, account), access: .patient))
        }

        @Test("passwords are listed, imported once, and replaced or removed only if that is asked for; none is shown")
        func life() async throws {
            let keyring = try await Keyring.gnome()
            try keep(keyring, "wss://h/db/_blipsync", "ana", "Zq7 one\\ ")
            try keep(keyring, "notes", "bo", "Zq7 two", names: ("Title", "UserName"))
            try keep(keyring, "imap://mail.example.com", "ana", "Zq7 mail")
            // Another program's item isn't of Python's keyring.
            _ = try keyring.secretTool("store", ["--label=x", "service", "h", "username", "eve"], input: "Zq7")
            let planned = try importing(keyring, "--dry-run", "--json")
            #expect(planned.status == 0, "\(planned.errors)")
            #expect(
                states(planned) == [
                    "wss://h/db/_blipsync/ana": "new", "notes/bo": "new", "imap://mail.example.com/ana": "skipped",
                ])
            #expect(try await SecretServiceStore().list(service: nil, access: .patient).items.isEmpty)
            let done = try importing(keyring)
            #expect(done.status == 0, "\(done.errors)")
            #expect(
                String(decoding: done.output, as: UTF8.self).hasSuffix("imported 2, 0 were there already, 1 skipped\n"))
            #expect(try await stored("https://h/db", "ana") == "Zq7 one\\ ")
            #expect(try await stored("notes", "bo") == "Zq7 two")
            let again = try importing(keyring, "--json")
            #expect(object(again.output)["unchanged"] as? Int == 2, "\(again)")

            try keep(keyring, "notes", "bo", "Zq7 three", names: ("Title", "UserName"))
            let refused = try importing(keyring, "--json")
            #expect(refused.status == 73 && object(refused.errors.utf8)["code"] as? String == "exists", "\(refused)")
            #expect((object(refused.errors.utf8)["hint"] as? String)?.contains("--replace") == true, "\(refused)")
            #expect(try await stored("notes", "bo") == "Zq7 two")
            let replaced = try importing(keyring, "--service", "notes", "--replace", "--remove-imported", "--json")
            #expect(object(replaced.output)["removed"] as? Int == 1, "\(replaced)")
            #expect(try await stored("notes", "bo") == "Zq7 three")
            #expect(try keyring.secretTool("lookup", ["Title", "notes"]).status == 1)
            #expect(try keyring.secretTool("lookup", ["service", "imap://mail.example.com"]).status == 0)
            for result in [planned, done, again, refused, replaced] {
                #expect(
                    !result.errors.contains("Zq7") && !String(decoding: result.output, as: UTF8.self).contains("Zq7"))
            }
        }

        @Test("a name that isn't there, one that no credential can have, and options that don't fit are errors")
        func errors() async throws {
            let keyring = try await Keyring.gnome()
            let none = try importing(keyring, "--json")
            #expect(none.status == 66 && object(none.errors.utf8)["code"] as? String == "not-found", "\(none)")
            try keep(keyring, "imap://h", "ana", "Zq7")
            try keep(keyring, "notes", "ana", "Zq7")
            let missing = try importing(keyring, "--service", "notes", "--service", "other")
            #expect(missing.status == 66 && missing.errors.contains("\"other\""), "\(missing)")
            let user = try importing(keyring, "--service", "notes", "--user", "bo")
            #expect(user.status == 66 && user.errors.contains("\"bo\""), "\(user)")
            let unfit = try importing(keyring, "--service", "imap://h")
            #expect(unfit.status == 64 && unfit.errors.contains("imap"), "\(unfit)")
            #expect(try importing(keyring, "file.sealed").status == 64)
            #expect(try importing(keyring, "--key-file", "key").status == 64)
            let plain = try run(
                ["-C", keyring.folder, tool, "credential", "import", "a.sealed", "--service", "notes"],
                environment: keyring.environment)
            #expect(plain.status == 64 && plain.errors.contains("--from"), "\(plain)")
        }

        @Test("of a locked keyring nothing is imported, and a vault takes the passwords once it is unlocked")
        func locked() async throws {
            let keyring = try await Keyring.gnome()
            try keep(keyring, "notes", "ana", "Zq7")
            try Data(repeating: 1, count: 32).write(to: URL(filePath: keyring.folder + "/vault.key"))
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o600], ofItemAtPath: keyring.folder + "/vault.key")
            let vault = ["--vault", keyring.folder + "/imported/vault.db", "--vault-key-file", "vault.key"]
            try await SecretServiceStore().lock(access: .patient)
            let locked = try importing(keyring, vault[0], vault[1], vault[2], vault[3], "--json")
            #expect(locked.status == 69 && object(locked.errors.utf8)["code"] as? String == "locked", "\(locked)")
            #expect(!FileManager.default.fileExists(atPath: vault[1]))
            try keyring.unlockGnomeKeyring()
            let planned = try importing(keyring, vault[0], vault[1], vault[2], vault[3], "--dry-run", "--json")
            #expect(states(planned) == ["notes/ana": "new"], "\(planned)")
            #expect(!FileManager.default.fileExists(atPath: vault[1]))
            let done = try importing(keyring, vault[0], vault[1], vault[2], vault[3])
            #expect(done.status == 0, "\(done)")
            let shown = try run(
                ["-C", keyring.folder, tool, "credential", "get", "notes", "--reveal"] + vault,
                environment: keyring.environment)
            #expect(shown.output == Data("Zq7".utf8), "\(shown)")
        }
    }
}

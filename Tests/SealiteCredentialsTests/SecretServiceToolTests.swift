import Foundation
import SealiteTestSupport
import Testing

@testable import SealiteCredentials

extension SecretServiceTests {
    @Suite("ToolOnAKeyring: the command line on a real keyring")
    struct ToolOnAKeyring {
        /// The built tool: it lies beside the test bundle.
        private let tool: String = {
            let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
            return URL(filePath: own).deletingLastPathComponent().appending(path: "sealite").path
        }()

        private func sealite(
            _ keyring: Keyring, _ arguments: String..., input: String = ""
        ) throws -> CommandResult {
            try run(
                ["-C", keyring.folder, tool] + arguments + ["--store-timeout", "60"], environment: keyring.environment,
                input: Data(input.utf8))
        }

        private func object(_ text: some Sequence<UInt8>) -> [String: Any] {
            (try? JSONSerialization.jsonObject(with: Data(text)) as? [String: Any]) ?? [:]
        }

        @Test("a password that one process stores is read by another, by secret-tool and by the library, and removed")
        func credentials() async throws {
            let keyring = try await Keyring.gnome()
            let stored = try sealite(keyring, "credential", "set", "wss://h/db", "--user", "ana", input: "s3cret\n")
            #expect(stored.status == 0, "\(stored.errors)")
            let shown = try sealite(keyring, "credential", "get", "https://h/db/", "--reveal")
            #expect(shown.output == Data("s3cret".utf8), "\(shown.errors)")
            let attributes = [
                "sealite-service", "https://h/db", "sealite-account", "ana", "sealite-kind", "password",
            ]
            #expect(try keyring.secretTool("lookup", attributes).output == Data("s3cret".utf8))
            #expect(text(try await SecretServiceStore().read(reference("https://h/db"), access: .patient)) == "s3cret")
            let status = try sealite(keyring, "credential", "status", "--json")
            #expect(status.status == 0 && object(status.output)["store"] as? String == "secret-service")
            #expect((object(status.output)["provider"] as? String)?.hasPrefix("gnome-keyring") == true)
            #expect(try sealite(keyring, "credential", "remove", "https://h/db").status == 0)
            #expect(try sealite(keyring, "credential", "get", "https://h/db").status == 66)
        }

        @Test("a database's key is in the keyring; locked or gone, the error says so and names the recovery key")
        func databaseKeys() async throws {
            let keyring = try await Keyring.gnome()
            try? FileManager.default.removeItem(atPath: keyring.folder + "/a.db")
            try? FileManager.default.removeItem(atPath: keyring.folder + "/paper")
            let made = try sealite(keyring, "create", "a.db", "--key-in-store", "--recovery-key-file", "paper")
            #expect(made.status == 0, "\(made.errors)")
            #expect(try sealite(keyring, "key", "check", "a.db").status == 0)
            try await SecretServiceStore().lock(access: .patient)
            let locked = try sealite(keyring, "key", "check", "a.db", "--json")
            #expect(locked.status == 69 && object(locked.errors.utf8)["code"] as? String == "locked")
            #expect((object(locked.errors.utf8)["hint"] as? String)?.contains("--recovery-key-file") == true)
            let status = try sealite(keyring, "credential", "status", "--json")
            #expect(status.status == 69 && object(status.output)["usable"] as? Bool == false)
            try keyring.unlockGnomeKeyring()
            #expect(try sealite(keyring, "key", "check", "a.db").status == 0)
            await keyring.stopProvider()
            let gone = try sealite(keyring, "key", "check", "a.db", "--json")
            #expect(gone.status == 69 && object(gone.errors.utf8)["code"] as? String == "no-provider")
            #expect(try sealite(keyring, "key", "check", "a.db", "--recovery-key-file", "paper").status == 0)
        }

        @Test("a store that fails once a database is made costs a label, not the database or its recovery key")
        func keyWithoutLabel() async throws {
            let keyring = try await Keyring.fake("--deny-change")
            for name in ["a.db", "paper"] { try? FileManager.default.removeItem(atPath: keyring.folder + "/" + name) }
            let plain = "--allow-unencrypted-session"
            let made = try sealite(keyring, "create", "a.db", "--key-in-store", "--recovery-key-file", "paper", plain)
            #expect(made.status == 0 && made.errors.contains("the database's id couldn't be added"), "\(made.errors)")
            #expect(try sealite(keyring, "key", "check", "a.db", plain).status == 0)
            #expect(try sealite(keyring, "key", "check", "a.db", "--recovery-key-file", "paper").status == 0)
        }

        @Test("the status is that of the collection that is asked for")
        func namedCollection() async throws {
            let keyring = try await Keyring.fake("--no-default")
            let plain = "--allow-unencrypted-session"
            #expect(try sealite(keyring, "credential", "status", plain).status == 69)
            let named = try sealite(keyring, "credential", "status", plain, "--store-collection", "Fake")
            #expect(named.status == 0, "\(named.errors)")
            let other = try sealite(keyring, "credential", "status", plain, "--store-collection", "Other")
            #expect(other.status == 69 && other.errors.contains("\"Other\""))
        }

        @Test("what GLib has to say doesn't reach the terminal")
        func noise() async throws {
            let keyring = try await Keyring.gnome()
            var loud = keyring.environment
            loud["G_MESSAGES_DEBUG"] = "all"
            let attributes = ["service", "h", "account", "ana", "kind", "password"]
            let other = try run(["secret-tool", "lookup"] + attributes, environment: loud)
            #expect(other.errors.contains("DEBUG") || String(decoding: other.output, as: UTF8.self).contains("DEBUG"))
            let ours = try run(
                [tool, "credential", "get", "h", "--user", "ana", "--store-timeout", "60"], environment: loud)
            #expect(ours.status == 66 && ours.output.isEmpty)
            let lines = ours.errors.split(separator: "\n")
            #expect(lines.allSatisfy { $0.hasPrefix("sealite: ") || $0.hasPrefix("hint: ") }, "\(ours.errors)")
        }

        #if DEBUG || SEALITE_TESTS
            /// A pipe that takes 4096 bytes, and has them where it is to be full.
            private func pipe(isFull: Bool) throws -> Pipe {
                let output = Pipe()
                let (end, setPipeSize): (CInt, CInt) = (output.fileHandleForWriting.fileDescriptor, 1031)
                try #require(fcntl(end, setPipeSize, 4096) == 4096)
                if isFull { try output.fileHandleForWriting.write(contentsOf: Data(count: 4096)) }
                return output
            }

            private func start(_ keyring: Keyring, _ arguments: [String], _ output: Pipe, input: Data? = nil) throws
                -> Process
            {
                let process = Process()
                process.executableURL = URL(filePath: tool)
                process.arguments = arguments + ["--store-timeout", "60"]
                process.environment = keyring.environment.merging(CoreFile.environment) { $1 }
                process.standardOutput = output
                let pipe = Pipe()
                process.standardInput = pipe
                try process.run()
                if let input { try pipe.fileHandleForWriting.write(contentsOf: input) }
                try pipe.fileHandleForWriting.close()
                return process
            }

            @Test("a core of 'credential get' has nothing of a secret that came from the keyring")
            func core() async throws {
                let keyring = try await Keyring.gnome()
                let (needle, control) = ("needle-\(UUID().uuidString)", "control-\(UUID().uuidString)")
                let reference = try reference("h", control)
                // More than the pipe takes, so that the tool waits with the secret in its hands.
                let password = secret(needle + String(repeating: "x", count: 12_000))
                try await SecretServiceStore().save(
                    .password(password), service: reference.service, account: control, label: nil, access: .patient)
                let output = try pipe(isFull: false)
                let process = try start(keyring, ["credential", "get", "h", "--user", control, "--reveal"], output)
                defer {
                    process.terminate()
                    process.waitUntilExit()
                }
                #expect(try output.fileHandleForReading.read(upToCount: needle.utf8.count) == Data(needle.utf8))
                let id = process.processIdentifier
                #expect(ProtectedMemory.count(of: Array(needle.utf8), in: id) > 0, "the tool hasn't the secret")
                let core = try CoreFile(of: id, in: keyring.folder)
                #expect(core.count(of: needle) == 0)
                #expect(core.count(of: control) > 0)
            }

            @Test("a core of 'credential set' has nothing of the secret that it brought to the keyring")
            func coreOfSaving() async throws {
                let keyring = try await Keyring.gnome()
                let (needle, control) = ("needle-\(UUID().uuidString)", "control-\(UUID().uuidString)")
                let reference = try reference("h", control)
                // It has saved, and can't say so.
                let output = try pipe(isFull: true)
                let process = try start(
                    keyring, ["credential", "set", "h", "--user", control], output, input: Data(needle.utf8))
                defer {
                    process.terminate()
                    process.waitUntilExit()
                }
                await eventually("the secret is stored") {
                    guard let stored = try? await SecretServiceStore().read(reference, access: .patient) else {
                        return false
                    }
                    return text(stored) == needle
                }
                let core = try CoreFile(of: process.processIdentifier, in: keyring.folder)
                #expect(core.count(of: needle) == 0)
                #expect(core.count(of: control) > 0)
            }
        #endif

        @Test("credentials move between the keyring and a vault")
        func moving() async throws {
            let keyring = try await Keyring.gnome()
            try Data([UInt8](repeating: 5, count: 32)).write(to: URL(filePath: keyring.folder + "/vault.key"))
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o600], ofItemAtPath: keyring.folder + "/vault.key")
            for user in ["ana", "bob"] {
                #expect(try sealite(keyring, "credential", "set", "h", "--user", user, input: user).status == 0)
            }
            let there = try sealite(
                keyring, "credential", "move", "--all", "--to", "vault", "--vault-key-file", "vault.key")
            #expect(there.status == 0, "\(there.errors)")
            #expect(try await SecretServiceStore().list(service: nil, access: .patient).items.isEmpty)
            let one = try sealite(
                keyring, "credential", "get", "h", "--user", "bob", "--reveal", "--vault-key-file", "vault.key")
            #expect(one.output == Data("bob".utf8))
            let back = try sealite(
                keyring, "credential", "move", "h", "--user", "bob", "--to", "secret-service", "--vault-key-file",
                "vault.key")
            #expect(back.status == 0, "\(back.errors)")
            #expect(text(try await SecretServiceStore().read(reference("h", "bob"), access: .patient)) == "bob")
        }
    }
}

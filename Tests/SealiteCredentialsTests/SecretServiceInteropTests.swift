import Foundation
import Testing

@testable import SealiteCredentials

extension SecretServiceTests {
    @Suite("a store shared with other programs")
    struct InteropTests {
        private let store = SecretServiceStore()
        private let attributes = ["service", "https://h/db", "account", "ana", "kind", "password"]

        /// Gives the item with the attributes that are the arguments a secret that isn't UTF-8.
        private static let storing = #"""
            import dbus, sys
            bus = dbus.SessionBus()
            def of(path, name):
                return dbus.Interface(bus.get_object("org.freedesktop.secrets", path), "org.freedesktop.Secret." + name)
            service = of("/org/freedesktop/secrets", "Service")
            _, session = service.OpenSession("plain", dbus.String("", variant_level=1))
            (item,), _ = service.SearchItems(dict(zip(sys.argv[1::2], sys.argv[2::2])))
            secret = (session, dbus.ByteArray(b""), dbus.ByteArray(b"\xff\xfe"), "text/plain")
            of(item, "Item").SetSecret(dbus.Struct(secret, signature="oayays"))
            """#

        private let own = [
            "sealite-service", "https://h/db", "sealite-account", "ana", "sealite-kind", "password",
        ]

        @Test("secret-tool finds what is saved")
        func secretToolReads() async throws {
            let keyring = try await Keyring.gnome()
            let service = try CredentialService("wss://h/db")
            try await store.save(.password(secret("pä ss")), service: service, account: "ana")
            let found = try keyring.secretTool("lookup", own)
            #expect(found.status == 0)
            #expect(found.output == Data("pä ss".utf8))
            try await store.save(.password(secret("pa ss\n")), service: service, account: "ana")
            #expect(try keyring.secretTool("lookup", own).output == Data("sealite:base64:cGEgc3MK".utf8))
        }

        @Test("an item of another program, whose attributes have plain names, replaces none of ours")
        func notReplaced() async throws {
            let keyring = try await Keyring.gnome()
            let reference = try reference("https://h/db")
            try await store.save(.password(secret("ours")), service: reference.service, account: "ana")
            for theirs in [["service", "https://h/db", "account", "ana"], attributes, ["service", "https://h/db"]] {
                #expect(try keyring.secretTool("store", ["--label=x"] + theirs, input: "theirs").status == 0)
                #expect(text(try await store.read(reference)) == "ours", "\(theirs)")
            }
            // What has all three plain names is the credential too, and goes with it.
            try await store.remove(reference)
            #expect(try keyring.secretTool("lookup", attributes).status == 1)
        }

        @Test("secrets that a keyring's file of lines would change are stored in Base64, and all come back")
        func forms() async throws {
            let keyring = try await Keyring.gnome()
            let (kept, changed) = (
                ["plain", "é 🗝", "[section]", "#x", "a=b;c"],
                ["two\nlines\n", #"back\slash\n"#, "  spaces", "space ", "\ttab", "sealite:base64:x", "\u{7F}"]
            )
            for expected in kept + changed {
                try await store.save(
                    .password(secret(expected)), service: CredentialService("wss://h/db"), account: "ana")
                #expect(text(try await store.read(reference("wss://h/db"))) == expected)
                let stored = String(decoding: try keyring.secretTool("lookup", own).output, as: UTF8.self)
                #expect(
                    kept.contains(expected) ? stored == expected : stored.hasPrefix("sealite:base64:"), "\(expected)")
            }
        }

        @Test("a keyring without a password keeps every secret over a restart, and is unlocked without a prompt")
        func withoutPassword() async throws {
            let keyring = try await Keyring.gnomeWithoutPassword()
            let secrets = [
                "plain", "two\nlines\n", #"back\slash\n"#, "  spaces  ", "\ttab", "é 🗝", "[section]", "#x", "a=b;c",
                "sealite:base64:x", "\u{7F}",
            ]
            for (number, text) in secrets.enumerated() {
                try await store.save(.password(secret(text)), service: CredentialService("s\(number)"), account: "")
            }
            await keyring.stopProvider()
            try await keyring.startGnomeKeyring(unlocks: false)
            for (number, expected) in secrets.enumerated() {
                let reference = try CredentialReference(
                    service: CredentialService("s\(number)"), account: "", kind: .password)
                #expect(text(try await store.read(reference)) == expected, "\(expected)")
            }
        }

        @Test("what secret-tool stores is read, listed, replaced and removed")
        func secretToolWrites() async throws {
            let keyring = try await Keyring.gnome()
            let stored = try keyring.secretTool("store", ["--label=Mine"] + attributes, input: "theirs")
            #expect(stored.status == 0, "\(stored.errors)")
            let reference = try reference("wss://h/db")
            #expect(text(try await store.read(reference)) == "theirs")
            #expect(try await store.list().items.map(\.label) == ["Mine"])
            try await store.save(.password(secret("ours")), service: reference.service, account: "ana")
            #expect(try keyring.secretTool("lookup", own).output == Data("ours".utf8))
            #expect(try keyring.secretTool("lookup", attributes).status == 1)
            #expect(try await store.list().items.map(\.label) == ["Mine"])
            #expect(try await store.list().items.count == 1)
            try await store.remove(reference)
            #expect(try keyring.secretTool("lookup", own).status == 1)
        }

        @Test("what another program wrote under our attributes and is no record is damaged, and never quoted")
        func foreignContent() async throws {
            let keyring = try await Keyring.gnome()
            for kind in ["session", "client-identity", "slot-key", "bearer"] {
                let service =
                    kind == "slot-key"
                    ? CredentialService.keySlot([UInt8](repeating: 1, count: 16)) : try CredentialService("s")
                let account = kind == "slot-key" ? "" : "ana"
                let stored = try keyring.secretTool(
                    "store", ["--label=x", "service", service.canonical, "account", account, "kind", kind],
                    input: "not a Zq7 record")
                #expect(stored.status == 0, "\(stored.errors)")
                let kind = try #require(CredentialKind(rawValue: kind))
                let reference = try CredentialReference(service: service, account: account, kind: kind)
                let error = await failure { try await store.read(reference) }
                #expect(error?.code == .damaged)
                #expect(error?.description.contains("Zq7") == false)
            }
        }

        @Test("a password that isn't UTF-8, which another program stored, is read byte for byte")
        func notText() async throws {
            let keyring = try await Keyring.gnome()
            #expect(try keyring.secretTool("store", ["--label=x"] + attributes, input: "theirs").status == 0)
            // In D-Bus's API: secret-tool refuses such bytes from libsecret 0.21 on.
            let stored = try run(
                ["/usr/bin/python3", "-c", Self.storing] + attributes, environment: keyring.environment, input: Data())
            try #require(stored.status == 0, "\(stored.errors)")
            guard case .password(let read) = try await store.read(reference("https://h/db")) else { throw Unexpected() }
            #expect(bytes(read) == [0xFF, 0xFE])
        }

        @Test("items with other attributes, or of other programs, are not listed")
        func others() async throws {
            let keyring = try await Keyring.gnome()
            _ = try keyring.secretTool("store", ["--label=x", "service", "h", "username", "ana"], input: "x")
            _ = try keyring.secretTool(
                "store", ["--label=x", "service", "h", "account", "a", "kind", "pin"], input: "x")
            _ = try keyring.secretTool(
                "store", ["--label=x", "service", "wss://h/", "account", "a", "kind", "password"], input: "x")
            #expect(try await store.list().items.isEmpty)
        }
    }
}

extension Keyring {
    func secretTool(_ command: String, _ arguments: [String], input: String = "") throws -> CommandResult {
        try run(["secret-tool", command] + arguments, environment: environment, input: Data(input.utf8))
    }
}

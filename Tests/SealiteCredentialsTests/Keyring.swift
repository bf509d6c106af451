import Foundation
import SealiteTestSupport
import Testing

@testable import SealiteCredentials

/// A session bus of the tests' own, with a home of its own, and a provider on it that tests start, lock and kill.
///
/// libsecret knows one session bus per process, so there is one of these, and the suites that use it run one test at a
/// time. A missing gnome-keyring, dbus-daemon or secret-tool fails the tests: `make setup-test` gets them.
final class Keyring {
    // Sendable: the suites that use it are serialized.
    nonisolated(unsafe) private static var started: Keyring?

    let folder: String
    let environment: [String: String]
    private var bus: SupervisedProcess
    private var provider: SupervisedProcess?
    private static let password = "keyring password"

    /// The bus, without a provider.
    static func bus() async throws -> Keyring {
        if let keyring = unsafe started {
            await keyring.stopProvider()
            return keyring
        }
        let keyring = try Keyring()
        unsafe started = keyring
        unsafe setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=\(keyring.folder)/bus", 1)
        await eventually("the session bus answers") { await Self.statusCode() == .noProvider }
        return keyring
    }

    /// The bus with a fresh gnome-keyring, whose default keyring has no password and isn't encrypted.
    static func gnomeWithoutPassword() async throws -> Keyring {
        let keyring = try await gnome()
        let made = try run(["/usr/bin/python3", script("make_keyring.py")], environment: keyring.environment)
        #expect(made.status == 0, "\(made.errors)")
        return keyring
    }

    /// The bus with a fresh, unlocked gnome-keyring.
    static func gnome() async throws -> Keyring {
        let keyring = try await bus()
        try? FileManager.default.removeItem(atPath: keyring.folder + "/data")
        try await keyring.startGnomeKeyring()
        return keyring
    }

    /// The bus with the provider that misbehaves.
    static func fake(_ options: String..., items: [FakeItem] = []) async throws -> Keyring {
        try await fake(options, items: items)
    }

    /// The bus with the provider that misbehaves.
    static func fake(_ options: [String], items: [FakeItem]) async throws -> Keyring {
        let keyring = try await bus()
        let list = String(decoding: try JSONEncoder().encode(items), as: UTF8.self)
        keyring.provider = try SupervisedProcess(
            ["/usr/bin/python3", script("fake_provider.py"), "--items", list] + options,
            environment: keyring.environment)
        await eventually("the fake provider answers") { await Self.statusCode() == nil }
        return keyring
    }

    private init() throws {
        folder = FileManager.default.temporaryDirectory.path + "/sealite-keyring-\(UUID().uuidString)"
        for name in ["", "/home", "/runtime", "/config"] {
            try FileManager.default.createDirectory(
                atPath: folder + name, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
        let configuration = """
            <busconfig><type>session</type><listen>unix:path=\(folder)/bus</listen><policy context="default">
            <allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/></policy></busconfig>
            """
        try configuration.write(toFile: folder + "/bus.conf", atomically: true, encoding: .utf8)
        environment = [
            "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "HOME": folder + "/home", "XDG_DATA_HOME": folder + "/data",
            "XDG_RUNTIME_DIR": folder + "/runtime", "XDG_CONFIG_HOME": folder + "/config",
            "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(folder)/bus",
        ]
        bus = try Self.startBus(folder, environment)
    }

    private static func startBus(_ folder: String, _ environment: [String: String]) throws -> SupervisedProcess {
        try SupervisedProcess(
            ["dbus-daemon", "--config-file=\(folder)/bus.conf", "--nofork", "--nopidfile"], environment: environment,
            cleanup: "[ -e '\(folder)/keep' ] || rm -rf '\(folder)'")
    }

    /// Ends the bus and its provider, and starts another bus at the same address.
    func restartBus() throws {
        provider?.kill()
        provider = nil
        try Data().write(to: URL(filePath: folder + "/keep"))
        bus.kill()
        try FileManager.default.removeItem(atPath: folder + "/keep")
        try? FileManager.default.removeItem(atPath: folder + "/bus")
        bus = try Self.startBus(folder, environment)
    }

    /// Ends everything; for processes that don't go on.
    func end() {
        provider?.kill()
        bus.kill()
    }

    /// Starts gnome-keyring on what it kept before, unlocked unless `unlocks` is false.
    func startGnomeKeyring(unlocks: Bool = true) async throws {
        let control = controlFolder + "/control"
        // One that was killed leaves its socket behind.
        try? FileManager.default.removeItem(atPath: controlFolder)
        provider = try SupervisedProcess(
            [
                TestProgram.path("usr/bin/gnome-keyring-daemon"), "--foreground", "--components=secrets",
            ] + (unlocks ? ["--unlock"] : []), environment: environment,
            input: unlocks ? Self.password : "")
        await eventually("gnome-keyring has its collection") {
            guard let status = try? await SecretServiceStore.status() else { return false }
            return (!unlocks || status.defaultCollection?.isLocked == false)
                && FileManager.default.fileExists(atPath: control)
        }
    }

    private static func script(_ name: String) -> String {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: name).path
    }

    private var controlFolder: String { folder + "/runtime/keyring" }

    /// Kills the provider and waits until the bus has noticed.
    func stopProvider() async {
        provider?.kill()
        provider = nil
        await eventually("the provider is gone") { await Self.statusCode() == .noProvider }
    }

    /// Unlocks gnome-keyring's collection the way PAM does.
    func unlockGnomeKeyring() throws {
        let result = try run(
            ["/usr/bin/python3", Self.script("unlock_keyring.py"), controlFolder + "/control"],
            environment: environment,
            input: Data(Self.password.utf8))
        #expect(result.status == 0, "\(result.errors)")
    }

    private static func statusCode() async -> CredentialError.Code? {
        do {
            _ = try await SecretServiceStore.status()
            return nil
        } catch {
            return error.code
        }
    }
}

/// An item that the misbehaving provider begins with.
struct FakeItem: Encodable {
    var attributes: [String: String]
    var secret: String
    var label = ""
    var modified = 1

    init(_ reference: CredentialReference, _ secret: String, label: String = "", modified: Int = 1) {
        attributes = reference.attributes(.own)
        self.secret = secret
        self.label = label
        self.modified = modified
    }
}

import SealiteTestSupport
import Testing
import Foundation
import Glibc

/// A program started by posix_spawn(3), with its own files as descriptors, and a session of its own where asked for.
final class ChildProcess {
    let id: pid_t
    private var status: CInt?

    /// `files` are what is opened in the child, in this order; `ownSession` makes it a session leader, so that the first
    /// terminal it opens becomes its own.
    init(
        _ command: [String], folder: String, environment: [String: String] = [:],
        files: [(CInt, String, CInt)], ownSession: Bool = false
    ) throws {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for (descriptor, path, flags) in files {
            unsafe posix_spawn_file_actions_addopen(&actions, descriptor, path, flags, 0o600)
        }
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        if ownSession { unsafe posix_spawnattr_setflags(&attributes, 0x80) }
        var merged = ProcessInfo.processInfo.environment
        // What the tool would find of the person who runs the tests: systemd's credentials, the keyring, the settings.
        for name in ["CREDENTIALS_DIRECTORY", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"] { merged[name] = nil }
        for name in ["XDG_CONFIG_HOME", "XDG_DATA_HOME"] { merged[name] = folder + "/.none" }
        // Tests that aren't about known answers don't compute those that take seconds.
        merged["SEALITE_QUICK_AUDIT"] = "1"
        merged.merge(environment) { $1 }
        let arguments = CStrings(["env", "-C", folder] + command)
        let variables = CStrings(merged.map { "\($0)=\($1)" })
        var child = pid_t()
        let code = unsafe posix_spawnp(&child, "env", &actions, &attributes, arguments.pointers, variables.pointers)
        guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO) }
        id = child
    }

    func send(_ signal: CInt) { kill(id, signal) }

    /// Waits until the process computes: until it has used 0.2 s of processor time more than now or, if a file is given,
    /// than when it had that open, so that its start doesn't count.
    func waitUntilBusy(with file: String? = nil) {
        if let file { eventuallyBlocking("an open file") { openFiles.contains(file) || hasEnded } }
        let start = processorTicks
        eventuallyBlocking("work") { processorTicks.map { now in start.map { now >= $0 + 20 } ?? true } ?? true }
    }

    /// Whether the process has a file without a name open in a folder, as a new file is while it is written.
    func hasUnnamedFile(in folder: String) -> Bool {
        openFiles.contains { $0.hasPrefix(folder + "/") && $0.hasSuffix(" (deleted)") }
    }

    /// The paths of what the process has open.
    private var openFiles: [String] {
        let descriptors = "/proc/\(id)/fd"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: descriptors)) ?? []
        return names.compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "\(descriptors)/\($0)")
        }
    }

    /// Whether the process has ended, waited for or not.
    var hasEnded: Bool { processorTicks == nil }

    /// The processor time used so far, in 1/100 s; nil when the process has ended.
    private var processorTicks: Int? {
        guard let text = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8),
            let fields = text.split(separator: ")").last?.split(separator: " "), fields.count > 12, fields[0] != "Z"
        else { return nil }
        return Int(fields[11]).flatMap { user in Int(fields[12]).map { user + $0 } }
    }

    /// Waits for the end: the exit code, or 128 and the signal's number.
    func wait() -> CInt {
        if let status { return status }
        var raw: CInt = 0
        while unsafe waitpid(id, &raw, 0) < 0, errno == EINTR {}
        let code = raw & 0x7F == 0 ? (raw >> 8) & 0xFF : 128 + (raw & 0x7F)
        status = code
        return code
    }

    deinit {
        guard status == nil else { return }
        kill(id, SIGKILL)
        _ = wait()
    }
}

/// A NULL-terminated array of C strings.
@safe private final class CStrings {
    let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    private let count: Int

    init(_ strings: [String]) {
        count = strings.count
        unsafe pointers = .allocate(capacity: count + 1)
        for (index, string) in strings.enumerated() { unsafe pointers[index] = strdup(string) }
        unsafe pointers[count] = nil
    }

    deinit {
        for index in 0..<count { unsafe free(pointers[index]) }
        unsafe pointers.deallocate()
    }
}

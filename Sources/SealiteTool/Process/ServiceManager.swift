import Glibc
import Synchronization

/// The service manager that started this process, systemd for example, which is told what it does: sd_notify(3),
/// without libsystemd.
final class ServiceManager: Sendable {
    private let address: [UInt8]
    private let descriptor: CInt
    /// The time within which each `WATCHDOG=1` is expected after the last; nil if none is.
    let watchdog: Duration?

    private static let names = ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"]

    /// Takes the service manager from the environment, from which its variables are removed so that children of this
    /// process don't speak for it.
    ///
    /// - Returns: nil if there is none, or its address is of a kind that isn't known.
    static func take() -> ServiceManager? {
        let values = names.map { name in unsafe getenv(name).map { unsafe String(cString: $0) } }
        for name in names { unsafe unsetenv(name) }
        guard let socket = values[0] else { return nil }
        return ServiceManager(socket, watchdog: watchdog(values[1], process: values[2], own: getpid()))
    }

    /// Returns the time of a watchdog, by its variables; nil if it isn't this process's.
    static func watchdog(_ microseconds: String?, process: String?, own: pid_t) -> Duration? {
        guard let time = microseconds.flatMap(Int64.init), time > 0 else { return nil }
        if let process, pid_t(process) != own { return nil }
        return .microseconds(time)
    }

    /// Creates the manager that reads a socket: a path, or an abstract name, which begins with `@`.
    init?(_ socket: String, watchdog: Duration?) {
        var address = Array(socket.utf8)
        guard let first = address.first, address.count > 1, address.count < 108 else { return nil }
        switch first {
        case UInt8(ascii: "/"): address.append(0)
        case UInt8(ascii: "@"): address[0] = 0
        default: return nil
        }
        let descriptor = Glibc.socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        (self.address, self.descriptor, self.watchdog) = (address, descriptor, watchdog)
    }

    deinit { close(descriptor) }

    /// Sends assignments such as `READY=1`, each on a line, in one datagram. Never waits: a manager that doesn't read
    /// must not stop the server.
    ///
    /// - Returns: whether the manager's socket took them.
    @discardableResult
    func tell(_ assignments: String...) -> Bool {
        let message = Array(assignments.map(\.oneLine).joined(separator: "\n").utf8)
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &name.sun_path) { unsafe $0.copyBytes(from: address.prefix($0.count)) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + min(address.count, 108))
        let flags = CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT)
        return unsafe withUnsafePointer(to: &name) { typed in
            unsafe typed.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe sendto(descriptor, message, message.count, flags, pointer, length) == message.count
            }
        }
    }

    /// Sends `WATCHDOG=1` twice in the time of the watchdog, as long as `isWorking` returns true in time. Returns when the
    /// task is cancelled, and at once without a watchdog.
    func keepAlive(while isWorking: @Sendable () async -> Bool, status: @Sendable () -> String) async {
        guard let watchdog else { return }
        while !Task.isCancelled {
            if await isWorking(), !Task.isCancelled { tell("WATCHDOG=1", "STATUS=" + status()) }
            try? await Task.sleep(for: watchdog / 2)
        }
    }
}

extension String {
    fileprivate var oneLine: String { withoutControls }
}

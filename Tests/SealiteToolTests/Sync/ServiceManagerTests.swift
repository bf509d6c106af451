import Foundation
import Glibc
import SealiteTestSupport
import Synchronization
import Testing

@testable import SealiteTool

@Suite("telling the service manager", .serialized)
struct ServiceManagerTests {
    private let sync: SyncPlace

    init() throws { sync = try SyncPlace() }

    @Test("a server says when it listens, that it works, and that it ends", arguments: [false, true])
    func served(isAbstract: Bool) throws {
        let name = isAbstract ? "@sealite-\(sync.place.path)" : sync.place.file("notify")
        let socket = try NotifySocket(name)
        // No WATCHDOG_PID: the watchdog is every process's of the unit.
        let server = try sync.serve(
            ["--plain"], environment: ["NOTIFY_SOCKET": name, "WATCHDOG_USEC": "1000000"])
        #expect(try socket.next().hasPrefix("READY=1\nSTATUS=Port \(server.port), 0 peers"))
        for _ in 0..<2 { #expect(try socket.next().hasPrefix("WATCHDOG=1\nSTATUS=Port ")) }
        // A socket holds ten datagrams, those of five seconds, which may be there already, and the last one must have room.
        while !socket.isEmpty { _ = try socket.next() }
        server.process.send(SIGTERM)
        var last = try socket.next()
        while last.hasPrefix("WATCHDOG=1\n") { last = try socket.next() }
        #expect(last.hasPrefix("STOPPING=1\nSTATUS="))
        #expect(server.process.wait() == 0)
    }

    @Test("a server that can't start says nothing, and one whose manager is gone serves")
    func silent() throws {
        let name = sync.place.file("notify")
        let socket = try NotifySocket(name)
        let outcome = try sync.place.sealite(
            "serve", "missing.db", "-k", "key", "--anyone", environment: ["NOTIFY_SOCKET": name])
        #expect(outcome.status == 66 && socket.isEmpty, "\(outcome)")
        for wrong in [sync.place.file("nobody"), "vsock:2:1234", "@", String(repeating: "/x", count: 60)] {
            let server = try sync.serve(["--plain"], environment: ["NOTIFY_SOCKET": wrong, "WATCHDOG_USEC": "100000"])
            #expect(try sync.sync(server.url).status == 0)
            #expect(server.end() == 0)
        }
    }

    @Test("a server that doesn't work isn't called alive")
    func stuck() async throws {
        let name = sync.place.file("notify")
        let socket = try NotifySocket(name)
        let manager = try #require(ServiceManager(name, watchdog: .milliseconds(2)))
        let isWorking = Mutex(true)
        let counts = Mutex((asked: 0, told: 0))
        let task = Task {
            await manager.keepAlive(
                while: {
                    counts.withLock { $0.asked += 1 }
                    return isWorking.withLock { $0 }
                }, status: { "fine" })
        }
        await eventually("a datagram") { !socket.isEmpty }
        #expect(try socket.next() == "WATCHDOG=1\nSTATUS=fine")
        isWorking.withLock { $0 = false }
        let asked = counts.withLock { $0.asked }
        await eventually { counts.withLock { $0.asked } > asked + 3 }
        while !socket.isEmpty { _ = try socket.next() }
        let later = counts.withLock { $0.asked }
        await eventually { counts.withLock { $0.asked } > later + 3 }
        #expect(socket.isEmpty)
        task.cancel()
        await task.value
    }

    @Test("the watchdog is that of the process which it names")
    func process() {
        #expect(ServiceManager.watchdog("2000000", process: nil, own: 7) == .seconds(2))
        #expect(ServiceManager.watchdog("2000000", process: "7", own: 7) == .seconds(2))
        #expect(ServiceManager.watchdog("2000000", process: "8", own: 7) == nil)
        for wrong in [nil, "", "0", "-1", "x"] as [String?] {
            #expect(ServiceManager.watchdog(wrong, process: nil, own: 7) == nil)
        }
    }

    @Test("a status is one line, whatever it holds, and a manager that doesn't read stops nobody")
    func lines() throws {
        let name = sync.place.file("notify")
        let socket = try NotifySocket(name)
        let manager = try #require(ServiceManager(name, watchdog: nil))
        manager.tell("STATUS=a\nREADY=1", "B=2")
        let lines = try socket.next().split(separator: "\n")
        #expect(lines.count == 2 && lines[0].hasPrefix("STATUS=a") && lines[1] == "B=2")
        var isFull = false
        for _ in 0..<10_000 where !isFull { isFull = !manager.tell("WATCHDOG=1") }
        #expect(isFull)
    }
}

/// The socket of a service manager.
private final class NotifySocket {
    private let descriptor: CInt

    init(_ name: String) throws {
        descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue), 0)
        var bytes = Array(name.utf8)
        if name.hasPrefix("@") { bytes[0] = 0 }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        // An abstract name is as long as it is; a path ends with a zero byte.
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count + (name.hasPrefix("@") ? 0 : 1))
        let isBound = unsafe withUnsafePointer(to: &address) { typed in
            unsafe typed.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(descriptor, $0, length) == 0 }
        }
        guard isBound else { throw POSIXError(.EADDRINUSE) }
    }

    deinit { close(descriptor) }

    /// Whether nothing has arrived.
    var isEmpty: Bool {
        var byte: UInt8 = 0
        return unsafe recv(descriptor, &byte, 1, CInt(MSG_DONTWAIT) | CInt(MSG_PEEK)) < 0
    }

    /// Waits for the next datagram.
    func next() throws -> String {
        eventuallyBlocking("a datagram") { !isEmpty }
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = unsafe recv(descriptor, &buffer, buffer.count, CInt(MSG_DONTWAIT))
        guard count >= 0 else { throw POSIXError(.ETIMEDOUT) }
        return String(decoding: buffer.prefix(count), as: UTF8.self)
    }
}

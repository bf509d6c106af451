import SealiteTestSupport
import Testing
import Foundation
import Glibc

/// `session_server.py` in a process of its own.
final class SessionServer {
    private let place: Workplace
    private let process: ChildProcess
    /// The database on it, unencrypted.
    let url: String

    init(in place: Workplace, _ options: String...) throws {
        self.place = place
        try place.write("", to: "port")
        let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "session_server.py").path
        process = try ChildProcess(
            ["/usr/bin/python3", script, place.file("requests")] + options, folder: place.path,
            files: [(1, place.file("port"), O_WRONLY | O_TRUNC)])
        var port = ""
        try eventuallyBlocking("the server's port") {
            port = try String(decoding: place.read("port"), as: UTF8.self)
            return port.hasSuffix("\n")
        }
        url = "ws://127.0.0.1:\(port.dropLast())/db"
    }

    /// A line for each request.
    var requests: String { String(decoding: (try? place.read("requests")) ?? [], as: UTF8.self) }
}

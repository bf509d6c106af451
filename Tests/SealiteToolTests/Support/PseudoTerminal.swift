import Foundation
import Glibc
import SealiteTestSupport

/// The calls for pseudo-terminals, which Swift's Glibc module leaves out. https://man7.org/linux/man-pages/man7/pty.7.html
private enum PseudoTerminalCalls {
    private typealias OfDescriptor = @convention(c) (CInt) -> CInt
    private typealias Name = @convention(c) (CInt) -> UnsafeMutablePointer<CChar>?

    /// Makes the other end usable, and names it.
    static func unlock(_ master: CInt) throws -> String {
        guard master >= 0, let grant = unsafe dlsym(nil, "grantpt"), let unlock = unsafe dlsym(nil, "unlockpt"),
            let name = unsafe dlsym(nil, "ptsname"),
            unsafe unsafeBitCast(grant, to: OfDescriptor.self)(master) == 0,
            unsafe unsafeBitCast(unlock, to: OfDescriptor.self)(master) == 0,
            let text = unsafe unsafeBitCast(name, to: Name.self)(master)
        else { throw POSIXError(.EIO) }
        return unsafe String(cString: text)
    }
}

/// The tool on a pseudo-terminal, as a person would sit before it.
final class PseudoTerminal {
    let child: ChildProcess
    private let master: CInt
    /// All that the terminal showed.
    private(set) var screen = ""
    /// The length of the output that was already waited for.
    private var seen = 0

    struct Timeout: Error {
        let wanted: String
        let screen: String
    }

    /// `inputFile` replaces the terminal as standard input; output and errors go to the terminal. `environment` is added to
    /// the tests' own.
    init(
        _ arguments: [String], in place: Workplace, inputFile: String? = nil, environment: [String: String] = [:]
    ) throws {
        master = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        let terminal = try PseudoTerminalCalls.unlock(master)
        var files: [(CInt, String, CInt)] = [(0, terminal, O_RDWR), (1, terminal, O_RDWR), (2, terminal, O_RDWR)]
        if let inputFile { files.append((0, place.file(inputFile), O_RDONLY)) }
        child = try ChildProcess(
            [Tool.path] + arguments, folder: place.path, environment: environment, files: files, ownSession: true)
    }

    deinit { close(master) }

    /// Waits until the terminal shows a text that it didn't show before.
    func wait(for text: String) throws {
        let end = ContinuousClock.now + waitingLimit
        while true {
            if let range = screen.range(
                of: text, range: screen.index(screen.startIndex, offsetBy: seen)..<screen.endIndex)
            {
                seen = screen.distance(from: screen.startIndex, to: range.upperBound)
                return
            }
            guard ContinuousClock.now < end, readSome() else { throw Timeout(wanted: text, screen: screen) }
        }
    }

    func type(_ text: String) {
        let bytes = Array(text.utf8)
        _ = unsafe write(master, bytes, bytes.count)
    }

    func typeLine(_ text: String) { type(text + "\n") }

    /// Reads to the end, and gives the exit code.
    func finish() -> CInt {
        while readSome() {}
        return child.wait()
    }

    /// A Boolean value that says whether the terminal echoes input.
    var echoes: Bool {
        var settings = termios()
        return unsafe tcgetattr(master, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
    }

    /// Reads what there is, waiting at most a second; false at the end.
    private func readSome() -> Bool {
        var request = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&request, 1, 1000) > 0 else { return true }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = unsafe read(master, &buffer, buffer.count)
        guard count > 0 else { return false }
        screen += String(decoding: buffer[..<count], as: UTF8.self)
        return true
    }
}

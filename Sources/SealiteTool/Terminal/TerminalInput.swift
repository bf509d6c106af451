import Glibc

/// The characters typed on standard input, and the signals that arrive while waiting for them.
///
/// A signal is a byte in a pipe, so that it ends the wait on any thread.
final class TerminalInput: Sendable {
    /// A signal that matters while a line is typed.
    enum Event: UInt8 {
        /// ^C: the line is cancelled.
        case givenUp
        /// The process continues after a stop; a shell may have changed the terminal.
        case continued
        /// The terminal has another size.
        case resized
    }

    /// A typed character, or the event that ended the wait for one.
    enum Input: Equatable {
        case character(Unicode.Scalar)
        case event(Event)
        case end
    }

    private let signals: (reading: CInt, writing: CInt)

    init() throws(ToolError) {
        var ends: [CInt] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else {
            throw ToolError(.inputOutput, code: "io-error", "no pipe for signals could be made")
        }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        signals = (ends[0], ends[1])
    }

    deinit {
        close(signals.reading)
        close(signals.writing)
    }

    /// Ends the wait with an event. May be called from any thread.
    func post(_ event: Event) {
        var byte = event.rawValue
        _ = unsafe write(signals.writing, &byte, 1)
    }

    /// Discards events that arrived while nothing waited for them.
    func forgetEvents() {
        while nextEvent() != nil {}
    }

    /// Waits for the next character or event. Bytes that aren't UTF-8 are U+FFFD.
    func next() -> Input {
        guard let first = waitForByte() else { return nextEvent().map { .event($0) } ?? .end }
        var bytes = [first]
        // The bytes of a character arrive together; an incomplete character isn't waited for.
        for _ in 0..<Self.continuationCount(first) {
            guard hasInput(within: 100), let byte = readByte() else { break }
            bytes.append(byte)
        }
        return .character(String(decoding: bytes, as: UTF8.self).unicodeScalars.first ?? "\u{FFFD}")
    }

    /// A Boolean value that says whether typed or pasted input remains.
    var hasMore: Bool { hasInput(within: 0) }

    /// Returns the number of bytes that follow the first byte of a character.
    private static func continuationCount(_ first: UInt8) -> Int {
        switch first {
        case 0xC2...0xDF: 1
        case 0xE0...0xEF: 2
        case 0xF0...0xF4: 3
        default: 0
        }
    }

    /// Returns the next byte; nil if an event or the end of input came first.
    private func waitForByte() -> UInt8? {
        var requests = [
            pollfd(fd: signals.reading, events: Int16(POLLIN), revents: 0),
            pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
        ]
        while unsafe poll(&requests, nfds_t(requests.count), -1) < 0, errno == EINTR {}
        return requests[0].revents == 0 ? readByte() : nil
    }

    private func hasInput(within milliseconds: CInt) -> Bool {
        var request = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&request, 1, milliseconds) > 0
    }

    private func nextEvent() -> Event? {
        var byte: UInt8 = 0
        return unsafe read(signals.reading, &byte, 1) == 1 ? Event(rawValue: byte) : nil
    }

    private func readByte() -> UInt8? {
        var byte: UInt8 = 0
        while true {
            let count = unsafe read(STDIN_FILENO, &byte, 1)
            if count < 0, errno == EINTR { continue }
            return count == 1 ? byte : nil
        }
    }
}

import Glibc

/// The characters typed on standard input, and the signals that arrive while waiting for them.
///
/// A signal is a byte in a pipe, so that it ends the wait on any thread.
final class TerminalInput: Sendable {
    /// A signal that matters while a line is typed.
    enum Event: UInt8 {
        /// ^C was typed: the line is discarded.
        case givenUp
        /// The process continues after a stop; a shell may have changed the terminal.
        case continued
        /// The size of the terminal has changed.
        case resized
    }

    /// A typed character, or the event that ended the wait for one.
    enum Input: Equatable {
        case character(Unicode.Scalar)
        case event(Event)
        case end
    }

    private let signals: (reading: CInt, writing: CInt)
    /// The terminal on standard input, opened anew so that reads don't block: the terminal discards typed input when ^C
    /// arrives, also between poll(2) and read(2), and a read would then wait for the next key instead of the signal's
    /// event. Setting O_NONBLOCK on standard input itself would affect all processes that share it, such as the shell.
    private let keys: CInt

    init() throws(ToolError) {
        // If the terminal doesn't control this process, it sends no signals, so reads may block.
        keys =
            tcgetpgrp(STDIN_FILENO) >= 0
            ? unsafe open("/dev/tty", O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
            : fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
        guard keys >= 0 else {
            let reason = unsafe String(cString: strerror(errno))
            throw ToolError(.inputOutput, code: "io-error", "the terminal on standard input can't be opened: \(reason)")
        }
        var ends: [CInt] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else {
            let reason = unsafe String(cString: strerror(errno))
            close(keys)
            throw ToolError(
                .inputOutput, code: "io-error", "a pipe for the signals of the terminal can't be made: \(reason)")
        }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        signals = (ends[0], ends[1])
    }

    deinit {
        close(keys)
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

    /// Waits for the next character or event. For bytes that aren't UTF-8 it returns one U+FFFD; up to three bytes after
    /// an invalid lead byte are lost with it.
    func next() -> Input {
        let first: UInt8
        switch waitForByte() {
        case .byte(let byte): first = byte
        case .event(let event): return .event(event)
        case .end: return .end
        }
        var bytes = [first]
        // The bytes of a character arrive together; an incomplete character isn't waited for.
        for _ in 0..<Self.continuationCount(first) {
            guard hasInput(within: 100), case .byte(let byte)? = readByte() else { break }
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

    private enum Awaited {
        case byte(UInt8)
        case event(Event)
        case end
    }

    /// Waits for a byte or an event, whichever is first.
    private func waitForByte() -> Awaited {
        while true {
            var requests = [
                pollfd(fd: signals.reading, events: Int16(POLLIN), revents: 0),
                pollfd(fd: keys, events: Int16(POLLIN), revents: 0),
            ]
            guard unsafe poll(&requests, nfds_t(requests.count), -1) > 0 else { continue }
            if let event = nextEvent() { return .event(event) }
            if requests[1].revents != 0, let result = readByte() { return result }
        }
    }

    private func hasInput(within milliseconds: CInt) -> Bool {
        var request = pollfd(fd: keys, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&request, 1, milliseconds) > 0
    }

    private func nextEvent() -> Event? {
        var byte: UInt8 = 0
        return unsafe read(signals.reading, &byte, 1) == 1 ? Event(rawValue: byte) : nil
    }

    /// Returns a typed byte or the end of input; nil if the input was discarded meanwhile.
    private func readByte() -> Awaited? {
        var byte: UInt8 = 0
        while true {
            switch unsafe read(keys, &byte, 1) {
            case 1: return .byte(byte)
            case -1 where errno == EINTR: continue
            case -1 where errno == EAGAIN: return nil
            default: return .end
            }
        }
    }
}

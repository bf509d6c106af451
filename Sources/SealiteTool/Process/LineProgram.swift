import Glibc
import SealiteDatabase
import SealiteFile

/// A program that answers each line on its standard input with a line on its standard output, in the same order.
///
/// It is started without a shell, isolated from keys and databases (``ProgramStart/isIsolated``), and shares standard
/// error. It is killed, with the processes that it has started, when the object is released. Used from one thread.
final class LineProgram {
    /// A mistake of the program.
    struct Failure: Error {
        /// The line without a proper answer, counted from 0 in its batch.
        let line: Int
        /// What the program did, as a clause without its subject.
        let reason: String
        var kind = Kind.mistake

        /// The kinds of mistakes, by what is to be done.
        enum Kind {
            case mistake
            case timeout
            /// More lines than were asked for: earlier answers may have been those to other lines.
            case surplus
        }
    }

    /// The maximum length of an answer in bytes.
    private static let answerLimit = 1 << 20
    /// The time that a program has to end after its input has ended.
    private static let endLimit = Duration.seconds(5)
    /// The longest wait before a signal is noticed, in milliseconds.
    private static let pause: CInt = 100

    private let id: pid_t
    private var input: CInt
    private let output: CInt
    /// Bytes that were read and aren't returned yet.
    private var received: [UInt8] = []
    private var chunk = [UInt8](repeating: 0, count: 1 << 16)

    /// Starts a program.
    ///
    /// - Parameter words: the program, a path or a name that is looked for in PATH, and its arguments.
    /// - Throws: an error if it can't be started.
    init(_ words: [String]) throws(SealedFileError) {
        let questions = try ProgramStart.pipeEnds()
        let answers: (reading: CInt, writing: CInt)
        do throws(SealedFileError) {
            answers = try ProgramStart.pipeEnds()
        } catch {
            for end in [questions.reading, questions.writing] { close(end) }
            throw error
        }
        defer { for end in [questions.reading, answers.writing] { close(end) } }
        do throws(SealedFileError) {
            id = try ProgramStart(
                program: words[0], words: words, input: questions.reading, output: answers.writing, isIsolated: true
            ).start()
        } catch {
            for end in [questions.writing, answers.reading] { close(end) }
            throw error
        }
        (input, output) = (questions.writing, answers.reading)
        // The program's own ends stay blocking: they are other open file descriptions.
        for end in [input, output] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    }

    deinit {
        kill(-id, SIGKILL)
        // It may have left its group.
        kill(id, SIGKILL)
        while waitpid(id, nil, 0) < 0, errno == EINTR {}
        if input >= 0 { close(input) }
        close(output)
    }

    /// Writes a batch of lines and reads as many answers. The program may answer each line at once, or read all of them
    /// first.
    ///
    /// - Parameters:
    ///   - lines: the lines, without line ends.
    ///   - limit: the time from the call to the last answer.
    ///   - take: takes the number of a line, counted from 0, and its answer.
    /// - Throws: `Failure` if the program ends early, answers too late, too long or more often than asked, `cancelled`
    ///   after a signal, and the errors of `take`.
    func answer(_ lines: [String], within limit: Duration, _ take: (Int, [UInt8]) throws -> Void) throws {
        let questions = Array(lines.map { $0 + "\n" }.joined().utf8)
        var (written, taken, hasEnded) = (0, 0, false)
        let end = ContinuousClock.now + limit
        _ = read()
        try requireNothingMore(0)
        while taken < lines.count || written < questions.count && !hasEnded {
            try WriteControl.current?.requireNotStopped()
            guard ContinuousClock.now < end else {
                throw Failure(line: min(taken, lines.count - 1), reason: "hasn't answered in time", kind: .timeout)
            }
            wait(toWrite: written < questions.count)
            if written < questions.count, !write(questions, &written) { written = questions.count }
            hasEnded = !read()
            try takeAnswers(lines.count, &taken, take)
            guard !hasEnded || taken == lines.count else {
                throw Failure(line: taken, reason: "\(ending()) before it answered")
            }
        }
        _ = read()
        try requireNothingMore(lines.count - 1)
    }

    /// Ends the input, and waits for a while until the program has ended.
    ///
    /// - Throws: `Failure` if it has written more lines than it was asked for.
    func end() throws(Failure) {
        close(input)
        input = -1
        let end = ContinuousClock.now + Self.endLimit
        while received.isEmpty, read(), ContinuousClock.now < end { wait(toWrite: false) }
        try requireNothingMore(0)
        waitForEnd(until: end)
    }

    // MARK: - The pipes

    /// Waits until the pipes are ready, for a short time at most.
    private func wait(toWrite: Bool) {
        var pipes = [
            pollfd(fd: output, events: Int16(POLLIN), revents: 0),
            pollfd(fd: input, events: Int16(POLLOUT), revents: 0),
        ]
        unsafe poll(&pipes, toWrite ? 2 : 1, Self.pause)
    }

    /// Writes as much as the pipe takes; returns false if the program doesn't read its input any more.
    private func write(_ bytes: [UInt8], _ written: inout Int) -> Bool {
        let count = unsafe bytes.withUnsafeBytes { all in
            unsafe Glibc.write(input, all.baseAddress?.advanced(by: written), all.count - written)
        }
        written += max(count, 0)
        return count >= 0 || errno == EAGAIN || errno == EINTR
    }

    /// Reads what is there; returns false at the end of the output.
    private func read() -> Bool {
        let count = unsafe Glibc.read(output, &chunk, chunk.count)
        guard count > 0 else { return count < 0 && (errno == EAGAIN || errno == EINTR) }
        received += chunk[..<count]
        return true
    }

    /// Passes on the whole lines among the received bytes, but no more than `count` with those that were taken before.
    private func takeAnswers(_ count: Int, _ taken: inout Int, _ take: (Int, [UInt8]) throws -> Void) throws {
        var start = 0
        while taken < count, let end = received[start...].firstIndex(of: UInt8(ascii: "\n")) {
            try requireShort(end - start, taken)
            try take(taken, Array(received[start..<end]))
            taken += 1
            start = end + 1
        }
        received.removeFirst(start)
        if taken < count { try requireShort(received.count, taken) }
    }

    private func requireShort(_ byteCount: Int, _ line: Int) throws(Failure) {
        guard byteCount > Self.answerLimit else { return }
        throw Failure(line: line, reason: "has answered with a line of more than 1 MiB")
    }

    /// Throws an error if the program has written more than it was asked, which would be taken for the answer to
    /// another line.
    private func requireNothingMore(_ line: Int) throws(Failure) {
        guard !received.isEmpty else { return }
        throw Failure(line: line, reason: "has written more than one line for each document", kind: .surplus)
    }

    // MARK: - The end

    /// Returns how the program ended whose output has ended, as a clause without its subject.
    private func ending() -> String {
        guard waitForEnd(until: .now + .seconds(1)) else { return "has closed its output" }
        var end = unsafe siginfo_t()
        unsafe waitid(P_PID, id_t(id), &end, WEXITED | WNOWAIT)
        let status = unsafe end._sifields._sigchld.si_status
        return unsafe Int(end.si_code) == Int(CLD_EXITED)
            ? "ended with exit code \(status)" : "was ended by signal \(status)"
    }

    /// Waits until the program has ended; returns false if it hasn't in time. The process stays to be waited for, so
    /// that its number can't be another one's when its group is killed.
    @discardableResult
    private func waitForEnd(until end: ContinuousClock.Instant) -> Bool {
        while true {
            var information = unsafe siginfo_t()
            let result = unsafe waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT | WNOHANG)
            if unsafe result == 0 && information.si_signo == SIGCHLD { return true }
            guard ContinuousClock.now < end else { return false }
            usleep(10_000)
        }
    }
}

import Glibc
import SealiteFile
import Synchronization

/// Handles signals that end the process, so that no temporary files remain and the terminal's echo is restored.
///
/// The signals are blocked in every thread; one thread waits for them, so that their handlers are ordinary code.
enum Signals {
    private static let ending: [CInt] = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
    /// The signals that are reported to a line editor and have no other effect: a new size of the terminal, and
    /// continuation after a stop.
    private static let noted: [CInt] = [SIGWINCH, SIGCONT]
    /// A function that handles a signal; it returns false to end the process nevertheless.
    typealias Handler = @Sendable (_ number: CInt) -> Bool
    private static let handler = Mutex<Handler?>(nil)
    private static let observer = Mutex<(@Sendable (CInt) -> Void)?>(nil)

    /// Starts the handling of signals. Must be called first, before there are other threads.
    static func takeOver() {
        // A closed pipe is reported as an error of write(2), after which the temporary files can be removed.
        signal(SIGPIPE, SIG_IGN)
        // The same applies to the limit on the size of files (EFBIG).
        signal(SIGXFSZ, SIG_IGN)
        var set = (ending.filter { !isIgnored($0) } + noted).signalSet
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
        var thread = pthread_t()
        unsafe pthread_create(
            &thread, nil,
            { _ in
                while true { Signals.wait() }
            }, nil)
        pthread_detach(thread)
    }

    /// Passes every signal that ends the process to `handler` while `body` runs and, if `staysAfterSuccess` is true,
    /// also after `body` has returned without an error: there is no moment then at which a signal would end the process.
    static func handling<R>(
        by handler: @escaping Handler, staysAfterSuccess: Bool = false, _ body: () throws -> R
    ) rethrows -> R {
        let before = Signals.handler.withLock { current in
            defer { current = handler }
            return current
        }
        var stays = false
        defer { if !stays { Signals.handler.withLock { $0 = before } } }
        let result = try body()
        stays = staysAfterSuccess
        return result
    }

    /// Passes every signal that ends the process to `handler`, and all other signals to `observer`, while `body` runs.
    static func handling<R>(
        by handler: @escaping Handler, noting observer: @escaping @Sendable (CInt) -> Void, _ body: () throws -> R
    ) rethrows -> R {
        Signals.observer.withLock { $0 = observer }
        defer { Signals.observer.withLock { $0 = nil } }
        return try handling(by: handler, body)
    }

    /// Ends the process by a signal, so that the shell sees 128 + its number.
    static func end(by number: CInt) {
        TemporaryNames.removeAll {
            SavedTerminal.restore()
            signal(number, SIG_DFL)
            var set = [number].signalSet
            unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
            kill(getpid(), number)
            // The signal is about to be delivered to this thread, the only one that doesn't block it.
            sleep(1)
            _exit(128 + number)
        }
    }

    private static func wait() {
        var set = (ending + noted).signalSet
        var number: CInt = 0
        guard unsafe sigwait(&set, &number) == 0 else { return }
        guard ending.contains(number) else {
            observer.withLock { $0 }?(number)
            return
        }
        if let handler = handler.withLock({ $0 }), handler(number) { return }
        end(by: number)
    }

    /// Returns whether a signal is ignored. A signal that the parent process ignores, such as nohup does, stays
    /// ignored.
    private static func isIgnored(_ number: CInt) -> Bool {
        var action = sigaction()
        guard unsafe sigaction(number, nil, &action) == 0 else { return false }
        return unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}

extension [CInt] {
    fileprivate var signalSet: sigset_t {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for number in self { unsafe sigaddset(&set, number) }
        return set
    }
}

/// An error of a command that a signal stopped and that has cleaned up; the process is then to end by the signal.
struct EndedBySignal: Error {
    let number: CInt
    /// What the command that was stopped has, or hasn't, changed; nil for a command that changes nothing.
    var effect: String?

    /// The line, or with `json` the object, that says what was changed; nil if nothing needs to be said.
    func note(json: Bool) -> String? {
        guard let effect else { return nil }
        let text = "interrupted by \(name): \(effect)"
        guard json else { return "sealite: \(text.withoutControls)\n" }
        let object: JSONValue = ["code": "interrupted", "message": text, "exitCode": 128 + number]
        return object.encoded + "\n"
    }

    private var name: String {
        switch number {
        case SIGINT: "SIGINT"
        case SIGTERM: "SIGTERM"
        case SIGHUP: "SIGHUP"
        case SIGQUIT: "SIGQUIT"
        default: "signal \(number)"
        }
    }
}

/// Runs an asynchronous operation of the library that reads until it ends or a signal arrives. A signal cancels the
/// operation's task, and the command ends by the signal.
func stoppable<R: Sendable>(_ work: @escaping @Sendable () async throws -> R) throws -> R {
    let (stopped, stop) = (StoppingSignal(), TaskStop())
    let result = try stopped.ending(stop: { stop.cancel() }) { try waiting(stoppedBy: stop, work) }
    if let number = stopped.number { throw EndedBySignal(number: number) }
    return result
}

/// The first signal that arrived while a statement or another long operation ran.
final class StoppingSignal: Sendable {
    private let first = Mutex<CInt?>(nil)

    var number: CInt? { first.withLock { $0 } }

    /// Records a signal.
    ///
    /// - Returns: true for the first signal; false for a second one, so that it ends the process at once.
    func note(_ number: CInt) -> Bool {
        first.withLock { first in
            guard first == nil else { return false }
            first = number
            return true
        }
    }

    /// Runs what a signal stops, with `stop` where that is given; an error after the signal is the signal's.
    func ending<R>(stop: @escaping @Sendable () -> Void = {}, _ body: () throws -> R) throws -> R {
        do {
            return try Signals.handling(
                by: { number in
                    guard self.note(number) else { return false }
                    stop()
                    return true
                }, body)
        } catch {
            if let number { throw EndedBySignal(number: number) }
            throw error
        }
    }
}

/// The terminal's settings before they were changed, so that a signal handler can restore them too.
enum SavedTerminal {
    private static let settings = Mutex<termios?>(nil)

    static func keep(_ value: termios) { settings.withLock { $0 = value } }

    /// Saves the present settings if the descriptor is a terminal.
    static func keepSettings(of descriptor: CInt) {
        var settings = termios()
        if unsafe tcgetattr(descriptor, &settings) == 0 { keep(settings) }
    }

    static func restore(on descriptor: CInt) {
        settings.withLock { settings in
            guard let value = settings else { return }
            SecretTerminal.restore(value, on: descriptor)
            settings = nil
        }
    }

    /// Restores the settings before a signal ends the process.
    static func restore() {
        guard settings.withLock({ $0 != nil }) else { return }
        let descriptor = unsafe open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        restore(on: descriptor)
        close(descriptor)
    }
}

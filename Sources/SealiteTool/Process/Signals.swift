import Glibc
import SealiteFile
import Synchronization

/// Signals that end the process: they leave no temporary files and a terminal that echoes.
///
/// They are blocked in every thread and taken by one that waits for them, so that what they do is ordinary code.
enum Signals {
    private static let ending: [CInt] = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
    /// The signals that a line editor is told of and that have no effect otherwise: another size of the terminal, going on after a stop.
    private static let noted: [CInt] = [SIGWINCH, SIGCONT]
    /// What a signal does instead of ending the process at once; false to end it after all.
    typealias Handler = @Sendable (_ number: CInt) -> Bool
    private static let handler = Mutex<Handler?>(nil)
    private static let observer = Mutex<(@Sendable (CInt) -> Void)?>(nil)

    /// To be called first thing, before there are other threads.
    static func takeOver() {
        // A reader that went away is met as an error of write(2), where the temporary files can be removed.
        signal(SIGPIPE, SIG_IGN)
        // So is a limit on the size of files (EFBIG).
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

    /// Asks `handler` about every signal while `body` runs.
    static func handling<R>(by handler: @escaping Handler, _ body: () throws -> R) rethrows -> R {
        let before = Signals.handler.withLock { current in
            defer { current = handler }
            return current
        }
        defer { Signals.handler.withLock { $0 = before } }
        return try body()
    }

    /// Asks `handler` about every signal that ends the process, and tells `observer` of the others, while `body` runs.
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
            // The signal is on its way to this thread, the one that doesn't block it.
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

    /// A parent that ignores a signal, such as nohup, means it for us too.
    private static func isIgnored(_ number: CInt) -> Bool {
        var action = sigaction()
        guard unsafe sigaction(number, nil, &action) == 0 else { return false }
        return unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}

/// A command was stopped by a signal, and has cleaned up: what is left is to end by it.
struct EndedBySignal: Error {
    let number: CInt
}

extension [CInt] {
    fileprivate var signalSet: sigset_t {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for number in self { unsafe sigaddset(&set, number) }
        return set
    }
}

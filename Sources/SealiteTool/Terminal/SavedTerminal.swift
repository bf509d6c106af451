import Glibc
import SealiteCrypto
import SealiteFile
import Synchronization

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

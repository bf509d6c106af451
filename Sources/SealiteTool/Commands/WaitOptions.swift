internal import Synchronization
import ArgumentParser
import Foundation
import SealiteFile

/// The option `--timeout`: the time to wait for other processes' locks. Parsing it sets the default of all connections
/// that the process opens.
struct WaitOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The maximum time to wait for another process's lock.", valueName: "seconds"))
    var timeout = 5.0

    func validate() throws {
        guard timeout >= 0, timeout <= 1_000_000 else {
            throw ValidationError("--timeout takes 0 to 1000000 seconds.")
        }
        RawConnection.standardBusyMilliseconds.store(Int32(timeout * 1000), ordering: .relaxed)
    }
}

import ArgumentParser
import Dispatch
import SealiteCredentials
import SealiteCrypto
import SealiteDatabase
import SealiteFile
import SealiteJSON
import SealiteMaintenance
import SealiteReplicator

/// The value of `--proxy`: the addresses of a reverse proxy whose `X-Forwarded-For` is trusted.
struct ProxyRange: ExpressibleByArgument {
    let range: AddressRange

    init?(argument: String) {
        guard let range = AddressRange(argument) else { return nil }
        self.range = range
    }
}

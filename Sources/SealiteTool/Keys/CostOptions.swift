import ArgumentParser
import Foundation
import SealiteCrypto
import SealiteFile

/// The cost of opening a new passphrase slot.
struct CostOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The cost of a new passphrase slot: scrypt's N is 2 to this power, 17 takes 128 MiB of memory.",
            valueName: "n"))
    var kdfLogN = Scrypt.Cost.default.logN

    var cost: Scrypt.Cost { Scrypt.Cost(logN: kdfLogN) }

    func validate() throws {
        do throws(CryptoError) {
            try cost.check()
        } catch {
            throw ValidationError("--kdf-log-n \(kdfLogN): \(error.reason).")
        }
    }
}

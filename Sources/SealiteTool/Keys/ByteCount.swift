import ArgumentParser
import Glibc
import SealiteCrypto
import SealiteFile
import SealiteMaintenance

/// A number of bytes in a form for people: 1048576, 512M, 2G.
struct ByteCount: ExpressibleByArgument {
    let value: Int

    init?(argument: String) {
        let units: [Character: Int] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30]
        let unit = argument.last.flatMap { units[Character($0.uppercased())] }
        guard let number = Int(unit == nil ? argument : String(argument.dropLast())), number > 0 else { return nil }
        let (value, overflow) = number.multipliedReportingOverflow(by: unit ?? 1)
        guard !overflow else { return nil }
        self.value = value
    }
}

internal import Foundation

/// Programs that only tests start, and that `scripts/setup.sh` unpacks instead of installing: their packages bring services.
package enum TestProgram {
    /// The folder into which the script unpacks the programs: `.build/programs` in the package's folder.
    package static let folder = URL(filePath: #filePath).appending(path: "../../../../../.build/programs")
        .standardized.path

    /// The program at `place` in that folder, or else where its package would install it.
    ///
    /// - Parameter place: from the root of a file system, without the slash: `usr/sbin/nginx`.
    /// - Returns: the full path, whether a program is there or not.
    package static func path(_ place: String) -> String {
        let unpacked = "\(folder)/\(place)"
        return FileManager.default.isExecutableFile(atPath: unpacked) ? unpacked : "/\(place)"
    }
}

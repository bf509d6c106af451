import CBuildCommit
import SealiteCredentials
import SealiteDatabase
import SealiteFile

/// The text of `sealite --version`: the versions of Sealite and its libraries, the commit, and the versions of the file formats.
enum VersionLines {
    /// The text, without a line end at the end.
    static var text: String {
        var lines = [SealiteVersion.line]
        if let commit { lines.append("commit \(commit)") }
        lines.append(
            "reads and writes sealed files of format \(HeaderLayout.formatVersion), document databases of format"
                + " \(FormatTables.version), vaults of format \(VaultTable.version)")
        return lines.joined(separator: "\n")
    }

    /// The commit of which the Makefile told the build; nil if it didn't.
    private static var commit: String? {
        let text = unsafe String(cString: sealite_build_commit())
        return text.isEmpty ? nil : text
    }
}

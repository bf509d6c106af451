package import SealiteFile
package import SealiteMaintenance

/// Recognizes the table of a vault (Documentation/Credentials.md §5) in the salvage of a damaged file: its rows are
/// identified by their shape. A secret's associated data contains the reference of its row, so reading a secret that
/// was assigned to another row fails.
package final class VaultGuide: SalvageGuide {
    package init() {}

    package func applies(applicationID: Int32?, userVersion: Int32?, tables: [String: String]) -> Bool {
        applicationID.map { Int64($0) == VaultTable.applicationID } ?? true
    }

    package func readsIndex(_ name: String) -> Bool { false }

    package func place(_ salvage: GuidedSalvage) throws(SealedFileError) -> GuideAnswer {
        var answer = GuideAnswer()
        let connection = salvage.connection
        let rows =
            "\(salvage.lostAndFound) WHERE nfield = 7 AND id > 0 AND typeof(c0) = 'text' AND typeof(c1) = 'text'"
            + " AND typeof(c2) = 'text' AND typeof(c3) = 'text' AND typeof(c4) = 'integer' AND typeof(c5) = 'integer'"
            + " AND typeof(c6) = 'blob'"
        let isNamed = salvage.tables.contains { $0.name == "credentials" }
        if salvage.applicationID == nil, !isNamed {
            // The only evidence that a file is a vault is rows that contain the name of a kind of credential.
            let kinds = CredentialKind.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
            guard try connection.integer("SELECT count(*) FROM \(rows) AND c2 IN (\(kinds))") > 0 else { return answer }
        }
        (answer.applicationID, answer.userVersion) = (Int32(VaultTable.applicationID), Int32(VaultTable.version))
        if !isNamed { try connection.execute(VaultTable.definition) }
        // Of several recovered rows for one credential, the newest is kept.
        try connection.execute(
            """
            INSERT OR IGNORE INTO credentials(service, account, kind, label, created, modified, sealed)
            SELECT c0, c1, c2, c3, c4, c5, c6 FROM \(rows) ORDER BY c5 DESC, id DESC;
            DELETE FROM \(rows) AND EXISTS (SELECT 1 FROM credentials
                WHERE service = c0 AND account = c1 AND kind = c2 AND modified = c5 AND sealed = c6);
            DELETE FROM \(GuidedSalvage.entries)
            WHERE nfield = 4 AND typeof(c0) = 'text' AND typeof(c1) = 'text' AND typeof(c2) = 'text'
            AND typeof(c3) = 'integer'
            """)
        return answer
    }

    package func finish(_ salvage: GuidedSalvage) throws(SealedFileError) {}
}

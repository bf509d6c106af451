import SealiteFile
import SealiteMaintenance

/// A check, after the creation or a change of a database has failed, whether the file has a new key slot nevertheless,
/// whose key must then be kept.
///
/// A failure doesn't mean that nothing was written: if the second of the two header copies can't be written or synced,
/// the first one, with the new slot, is already in force.
struct NewSlotCheck {
    private let path: String
    /// A Boolean value that says whether there was no file at the path before.
    let isOfNewFile: Bool

    /// Notes the state before the file at `path` is created or changed.
    init(before path: String) {
        self.path = path
        isOfNewFile = !FilePermissions.exists(path)
    }

    /// Returns false only if it is certain that the file has no slot for which `isWanted` returns true.
    func mayHaveSlot(where isWanted: (SlotInfo) -> Bool) -> Bool {
        if isOfNewFile, !FilePermissions.exists(path) { return false }
        guard let header = try? SealedDatabase.publicHeader(of: path) else { return true }
        return header.slots.contains(where: isWanted)
    }
}

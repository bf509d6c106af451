internal import SealiteDatabase
internal import SealiteMongo
internal import SealiteValues

/// Removes the member `__stitch_sync_version`, which only documents at the remote have, from documents that are written
/// locally in a collection with per-document sync.
struct StitchVersionGuard: DocumentGuard {
    func check(of collection: Collection) throws -> (any DocumentSaveCheck)? {
        try SyncedDocuments(collection).space() == nil ? nil : Check()
    }

    private struct Check: DocumentSaveCheck {
        func check(_ save: inout DocumentSave) throws {
            if let body = MemberJSON.removed(StitchVersion.member, from: save.body) { save.body = body }
        }

        func note(_ save: DocumentSave) {}
    }
}

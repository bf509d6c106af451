internal import Foundation
internal import SealiteDatabase
internal import SealiteJSON
internal import SealiteValues

/// The state that all decoders of one document share.
final class DecodingContext {
    /// The document's ID.
    let id: String
    /// The database from which the content of blobs is read; nil if there is none.
    let database: Database?
    let userInfo: [CodingUserInfoKey: any Sendable]

    init(id: String, database: Database?, userInfo: [CodingUserInfoKey: any Sendable]) {
        (self.id, self.database, self.userInfo) = (id, database, userInfo)
    }
}

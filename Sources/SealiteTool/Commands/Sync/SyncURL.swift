import Foundation
import SealiteAuthentication
import SealiteCredentials
import SealiteCrypto
import SealiteDatabase
import SealiteFile
import SealiteReplicator

/// The URL of a remote database on the command line.
enum SyncURL {
    /// Parses a URL; `https` and `http` are converted to `wss` and `ws`.
    ///
    /// - Throws: a `ToolError` for invalid usage if the URL isn't valid.
    static func endpoint(_ url: String) throws -> EndpointURL {
        var text = url
        for (web, socket) in [("https://", "wss://"), ("http://", "ws://")] where text.lowercased().hasPrefix(web) {
            text = socket + text.dropFirst(web.count)
        }
        do throws(TransportError) {
            return try EndpointURL(text)
        } catch {
            throw ToolError.usage(error.reason, hint: "give it as wss://host:4984/name")
        }
    }
}

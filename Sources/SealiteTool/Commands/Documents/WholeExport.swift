import SealiteBase
import SealiteDatabase

/// The form of an export of a whole database: lines of JSON, of which those that aren't documents begin with the member
/// `_sealite`.
///
/// The first line has the version. A line for a collection comes before its documents, and a blob with its parts before
/// the first document that contains it. Documents are in the form of an export of one collection.
enum WholeExport {
    /// The beginning of the lines that aren't documents. A document's line begins with its id.
    static let mark = Array(#"{"_sealite":"#.utf8)
    private static let version: Int64 = 1
    /// The size of a blob's part in bytes, before it is encoded in base64: a multiple of 3, so that only the last part
    /// has padding.
    static let partByteCount = 3 << 18

    enum Line {
        case version
        case collection(CollectionName)
        /// A blob, with its digest and its length in bytes. The lines of its parts follow.
        case blob(digest: String, length: UInt64)
        case part([UInt8])

        /// Parses a line that begins with the member `_sealite`.
        init(_ bytes: [UInt8]) throws {
            let object = try JSONBObject(json: bytes)
            switch object.scalar(forKey: "_sealite")?.string {
            case "export":
                guard object.scalar(forKey: "version")?.int64 == WholeExport.version else {
                    throw WholeExport.invalid(
                        "the export's version isn't \(WholeExport.version), the only one that this program can import",
                        hint: "if a newer 'sealite' wrote the export, import it with that one")
                }
                self = .version
            case "collection":
                guard let name = object.scalar(forKey: "name")?.string.flatMap(CollectionName.init(argument:)) else {
                    throw WholeExport.invalid("the line of a collection has no valid \"name\"")
                }
                self = .collection(name)
            case "blob":
                guard let digest = object.scalar(forKey: "digest")?.string,
                    let length = object.scalar(forKey: "length")?.int64, length >= 0
                else { throw WholeExport.invalid("the line of a blob has no valid \"digest\" or \"length\"") }
                self = .blob(digest: digest, length: UInt64(length))
            case "part":
                guard let data = object.scalar(forKey: "data")?.string.flatMap({ Base64.decode($0) }) else {
                    throw WholeExport.invalid("the line of a part of a blob has no Base64 text as \"data\"")
                }
                self = .part(data)
            default: throw WholeExport.invalid("\"_sealite\" isn't \"export\", \"collection\", \"blob\" or \"part\"")
            }
        }

        /// The bytes of the line, with its line end.
        var encoded: [UInt8] {
            let members: [(String, JSONValue)] =
                switch self {
                case .version: [("_sealite", .text("export")), ("version", .integer(WholeExport.version))]
                case .collection(let name): [("_sealite", .text("collection")), ("name", .text(name.description))]
                case .blob(let digest, let length):
                    [
                        ("_sealite", .text("blob")), ("digest", .text(digest)),
                        ("length", .integer(Int64(clamping: length))),
                    ]
                case .part(let bytes):
                    [("_sealite", .text("part")), ("data", .text(Base64.encode(bytes)))]
                }
            return Array((JSONValue.object(members).encoded + "\n").utf8)
        }
    }

    private static func invalid(
        _ reason: String, hint: String = "import the file as 'sealite export --all' wrote it, unchanged"
    ) -> ToolError {
        ToolError(.failed, code: "invalid-export", reason, hint: hint)
    }
}

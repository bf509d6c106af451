/// A parser of hostile bytes, with what must hold whatever the bytes are.
///
/// `Tests/Fuzz/Program` runs one under libFuzzer; `FuzzCorpusTests` runs each over its committed corpus, as it is and changed at random.
protocol FuzzTarget: AnyObject {
    init() throws

    /// Runs the parsers over one input. Each target says what its first bytes decide: of a file, whether the rest is meant as
    /// the bytes on disk, or as what someone who has the key sealed.
    func run(_ input: [UInt8]) throws(BrokenProperty)
}

/// A property that should hold and doesn't.
struct BrokenProperty: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    static func unless(_ holds: Bool, _ what: @autoclosure () -> String) throws(BrokenProperty) {
        guard holds else { throw BrokenProperty(what()) }
    }
}

/// The targets, by the names of their corpora, files of `Fixtures/Fuzz`.
enum FuzzTargetName: String, CaseIterable {
    case header, page, wal, journal, foreign
    case blip, properties, messages
    case json, jsonb, delta, functions
    case vectors
    case geometries
    case vectorLists = "vector-lists"
    case revisionTree = "revision-tree"
    case versions
    case query
    case values, mongo, schemas
    case match, words
    case cookies, endpoints, vault
    case pem, pkcs12
    case x509Names = "x509-names"

    func make() throws -> any FuzzTarget {
        switch self {
        case .header: try HeaderFuzz()
        case .page: try PageFuzz()
        case .wal: try WALFuzz()
        case .journal: try JournalFuzz()
        case .foreign: try ForeignFuzz()
        case .blip: try BLIPFuzz()
        case .properties: try PropertiesFuzz()
        case .messages: try MessagesFuzz()
        case .json: try JSONFuzz()
        case .jsonb: try JSONBFuzz()
        case .delta: try DeltaFuzz()
        case .functions: try FunctionsFuzz()
        case .vectors: try VectorsFuzz()
        case .geometries: try GeometriesFuzz()
        case .vectorLists: try VectorListsFuzz()
        case .revisionTree: try RevisionTreeFuzz()
        case .versions: try VersionsFuzz()
        case .query: try QueryFuzz()
        case .values: try ValuesFuzz()
        case .mongo: try MongoFuzz()
        case .schemas: try SchemasFuzz()
        case .match: try MatchFuzz()
        case .words: try WordsFuzz()
        case .cookies: try CookiesFuzz()
        case .endpoints: try EndpointsFuzz()
        case .vault: try VaultFuzz()
        case .pem: try PEMFuzz()
        case .pkcs12: try PKCS12Fuzz()
        case .x509Names: try X509NamesFuzz()
        }
    }
}

/// The wishes in the first byte of an input.
struct FuzzMode: OptionSet {
    let rawValue: UInt8

    /// The rest is plain text, to be sealed under the key; without it, bytes as they lie on disk.
    static let sealed = FuzzMode(rawValue: 1)
    /// Unkeyed checksums, which anyone can make, are made to fit.
    static let checksums = FuzzMode(rawValue: 2)
}

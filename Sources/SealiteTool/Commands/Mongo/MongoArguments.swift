import SealiteDatabase
import SealiteMongo
import SealiteValues

/// The arguments after the collection's name, in order, without those that are replaced by files.
struct MongoArguments {
    private var texts: ArraySlice<String>
    private let place: MongoTarget
    /// The name of the input that is read from standard input; nil if there is none so far.
    private var reader: String?

    init(_ texts: [String?], place: MongoTarget, options: DocumentOptions) {
        self.texts = texts.compactMap { $0 }[...]
        self.place = place
        reader = options.key.readsStandardInput ? "key" : nil
    }

    /// Returns the value in `file`, or, if `file` is nil, the value of the next argument; nil if there is no further
    /// argument.
    mutating func next(_ name: String, file: String? = nil) throws -> MongoValue? {
        if let file {
            if file == "-" {
                if let reader {
                    throw ToolError.usage("standard input can't hold both the \(reader) and the \(name)")
                }
                reader = name
            }
            return try MongoValue(name, try InputFile(file, besides: place.database).all())
        }
        return try texts.popFirst().map { text throws(ToolError) in try MongoValue(name, Array(text.utf8)) }
    }

    /// Returns the value in `file`, or, if `file` is nil, the value of the next argument, which must exist.
    mutating func require(_ name: String, file: String? = nil) throws -> MongoValue {
        guard let value = try next(name, file: file) else {
            throw ToolError.usage(
                "the \(name) is missing",
                hint: "give it as an argument or with --\(name)-file"
                    + (name == "filter" ? "; {} is the filter that all documents fulfil" : ""))
        }
        return value
    }

    /// Throws an error if arguments are left.
    func requireEnd() throws {
        guard texts.isEmpty else {
            throw ToolError.usage(
                "too many arguments: an argument that is read from a file can't also be given on the command line")
        }
    }
}

internal import SealiteValues

extension FilterPath {
    /// Creates the path of a text with dots between names; throws `MongoError` if there are too many names.
    init(_ text: String) throws(MongoError) {
        guard let path = FilterPath(text.utf8) else {
            throw .badValue("A path has more than \(Self.maximumCount) field names.")
        }
        self = path
    }
}

/// The hashing of strings by their bytes: Swift's own equality treats canonically equivalent strings as equal, BSON
/// doesn't.
enum ExactKey {
    static func hash(_ text: String, into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
        hasher.combine(text.utf8.count)
    }
}

internal import SealiteValues

/// Parses dates from text, by a format or in common forms.
enum DateReader {
    /// Parses a text by a format or, if it is nil, in one of the common forms. `zone` is the time zone of a text that
    /// names none (nil for UTC), and must be nil for a text that names one.
    static func date(of text: String, _ format: DateFormat?, _ zone: Zone?) throws -> DateTime {
        guard text.utf8.count <= 1000 else { throw failure("takes more than 1000 bytes") }
        var fields = DateFields()
        if let format {
            try fields.read(Array(text.utf8), format)
        } else {
            try fields.readFreely(text)
        }
        guard zone == nil || fields.zone == nil else {
            throw failure("has a time zone, and 'timezone' gives one, too")
        }
        guard let wall = try fields.wall(), let date = (fields.zone ?? zone ?? .utc).time(wall: wall) else {
            throw failure("is outside of the range of dates")
        }
        return date
    }

    /// Returns the error for an invalid text. `what` is the rest of the sentence that begins with "The text of a date".
    static func failure(_ what: String) -> MongoError {
        MongoError(code: 241, "The text of a date \(what).")
    }
}

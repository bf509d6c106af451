internal import NIOHTTP1
internal import SealiteCredentials
internal import SealiteJSON
internal import SealiteCrypto

extension HTTPAnswer {
    /// Creates the response from a decoded head and the body.
    ///
    /// - Parameters:
    ///   - head: the head, from which the values of cookies have been taken.
    ///   - cookies: the values of `Set-Cookie`.
    ///   - body: the part of the body that was received.
    init(_ head: HTTPResponseHead, cookies: [SharedSecret], body: [UInt8]) {
        let headers = head.headers.filter { $0.name.lowercased() != "set-cookie" }
        self.init(
            status: Int(head.status.code), headers: headers.map { HTTPField($0.name, $0.value) }, cookies: cookies,
            message: printable(Self.message(in: body, type: head.headers["Content-Type"].first ?? "")))
    }

    /// Returns the text of an error: the `reason` in Sync Gateway's JSON, plain text, or the text of an HTML page
    /// without its tags; empty for any other content.
    private static func message(in body: [UInt8], type: String) -> String {
        if type.lowercased().hasPrefix("application/json") {
            var reason = ""
            var reader = JSONMemberReader<JSONError>(body)
            do throws(JSONError) {
                try reader.object { (name, reader) throws(JSONError) in
                    guard name == "reason", try reader.peek() == .string else {
                        _ = try reader.rawValue()
                        return
                    }
                    reason = try reader.string()
                }
            } catch {
                // If the JSON is invalid or truncated after the `reason`, the reason is shown nevertheless.
                return reason
            }
            return reason
        }
        let text = String(decoding: body, as: UTF8.self)
        guard type.lowercased().hasPrefix("text/html") else {
            return type.lowercased().hasPrefix("text/") ? trimmed(text) : ""
        }
        var words = ""
        var isTag = false
        for character in text {
            if character == "<" { isTag = true }
            if !isTag { words.append(character.isWhitespace ? " " : character) }
            if character == ">" {
                isTag = false
                words.append(" ")
            }
        }
        return words.split(separator: " ").joined(separator: " ")
    }

    private static func trimmed(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}

/// An error of a Sealite library.
///
/// Each library has error types of its own, with codes to switch over. This protocol is for code that treats them
/// alike, such as logs, messages to people and retries. No error carries a key, a passphrase or a password.
public protocol SealiteError: Error, CustomStringConvertible {
    /// The kind of error, for programs and logs: lowercase words with hyphens between them, such as `wrong-key`.
    var identifier: String { get }
    /// The failed action, its object (such as the file's path) and the cause, for people.
    var reason: String { get }
    /// The next step for the caller or user to take; nil if none is known.
    var hint: String? { get }
    /// A Boolean value that says whether the same call may succeed later, without a change of its arguments.
    var isTransient: Bool { get }
    /// The error that caused this one; nil if there is none or it isn't known.
    var underlying: (any Error)? { get }
}

extension SealiteError {
    /// The default: nil, for an error without a known next step.
    public var hint: String? { nil }
    /// The default: false, for an error with which another attempt fails in the same way.
    public var isTransient: Bool { false }
    /// The default: nil, for an error that no other error caused.
    public var underlying: (any Error)? { nil }
}

extension SealiteError {
    /// Returns the name of an enumeration's case, without its associated values, as lowercase words with hyphens:
    /// `not-open` for `notOpen`, `bad-id-type` for `badIDType`.
    package static func identifier(of code: some Any) -> String {
        let name = Array("\(code)".prefix { $0 != "(" })
        var text = ""
        for (index, character) in name.enumerated() {
            // The last capital of several begins the next word.
            if character.isUppercase, index > 0,
                !name[index - 1].isUppercase || index + 1 < name.count && name[index + 1].isLowercase
            {
                text += "-"
            }
            text += character.lowercased()
        }
        return text
    }
}

/// Returns text from a peer or another program for use in errors: truncated to `limit` Unicode scalars, with control
/// and format characters replaced by spaces.
package func printable(_ text: String, limit: Int = 200) -> String {
    let cleaned = text.unicodeScalars.prefix(limit).map { scalar in
        scalar.properties.generalCategory == .control || scalar.properties.generalCategory == .format ? " " : scalar
    }
    return String(String.UnicodeScalarView(cleaned)) + (text.unicodeScalars.count > limit ? "…" : "")
}

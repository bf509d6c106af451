internal import Foundation

/// A type of text members of a model, `String` or `String?`, for use in conditions.
public protocol TextMember {}

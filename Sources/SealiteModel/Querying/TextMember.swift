internal import Foundation

/// The type of a text member, optional or not.
public protocol TextMember {}

/// The place in a query's text at which a part of its tree was read, for error messages.
///
/// Any two positions are equal, so that trees are compared by what they say and not by how they were laid out.
package struct SourcePosition: Sendable, Equatable {
    /// The offset in bytes of UTF-8; nil if the tree was not read from text.
    package var offset: Int? { stored < 0 ? nil : Int(stored) }
    private let stored: Int32

    /// The position of a part that was not read from text.
    package static let none = SourcePosition(stored: -1)

    /// A position in a text, which `QueryLimits` keeps within 32 bits.
    package init(offset: Int) { self.init(stored: Int32(clamping: offset)) }

    private init(stored: Int32) { self.stored = stored }

    package static func == (left: Self, right: Self) -> Bool { true }
}

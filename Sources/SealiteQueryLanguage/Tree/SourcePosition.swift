/// The position in the query's text of a part of the syntax tree, for error messages.
///
/// All positions are equal to each other, so that trees of texts that differ only in layout are equal.
package struct SourcePosition: Sendable, Equatable {
    /// The offset in the text, in bytes of UTF-8 from 0; nil if the tree wasn't parsed from text.
    package var offset: Int? { stored < 0 ? nil : Int(stored) }
    private let stored: Int32

    /// The position of a part of a tree that wasn't parsed from text.
    package static let none = SourcePosition(stored: -1)

    /// Creates the position at an offset in bytes of UTF-8 from 0. `QueryLimits` keeps texts so short that 32 bits
    /// suffice.
    package init(offset: Int) { self.init(stored: Int32(clamping: offset)) }

    private init(stored: Int32) { self.stored = stored }

    package static func == (left: Self, right: Self) -> Bool { true }
}

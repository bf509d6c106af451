internal import Foundation
internal import SealiteQuery

/// The type of a list or a set of values.
public protocol ListMember<Element> {
    /// The type of the values.
    associatedtype Element
}

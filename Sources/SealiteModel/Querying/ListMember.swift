internal import Foundation
internal import SealiteQuery

/// A type of list or set members of a model, optional or not, for use in conditions.
public protocol ListMember<Element> {
    /// The type of the elements of the list or set.
    associatedtype Element
}

/// A model whose members all have initial values, which are the defaults of absent members.
public protocol DefaultedModel: Model {
    /// Creates a value with the initial values of all members.
    init()
}

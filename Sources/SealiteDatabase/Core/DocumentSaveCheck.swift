/// A guard's check for one collection's documents in one transaction, called on the transaction's thread.
package protocol DocumentSaveCheck {
    /// Checks a document that is about to be saved, and may replace its body.
    ///
    /// - Throws: the reason for which the document isn't saved: an error of the guard, which the caller of the save
    ///   gets. Then nothing is changed.
    func check(_ save: inout DocumentSave) throws

    /// Informs the check about a save that can't be refused: the document is an application's resolution of a conflict,
    /// and sync can't continue without it. The check can record that the document breaks a rule.
    func note(_ save: DocumentSave)
}

internal import SealiteCrypto
import SealiteFile
import SealiteJSON

/// Writes rows of cells.
protocol RowPrinter: AnyObject {
    func begin(columns: [String])
    func row(_ cells: [RowCell])
    func end()
}

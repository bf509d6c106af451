package import Foundation

extension DiskImage {
    /// Writes the files to a folder on a real disk, by their last names.
    package func write(to folder: URL) throws {
        for path in paths {
            let name = String(path.dropFirst(path.folder.count + 1))
            try Data(self[path: path] ?? []).write(to: folder.appending(path: name))
        }
    }

    /// Reads the files of a folder on a real disk, under their full paths.
    package init(folder: URL) throws {
        self.init()
        for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
            self[path: file.path] = try [UInt8](Data(contentsOf: file))
        }
    }
}

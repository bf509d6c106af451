// What the tests of the sealed file stand on: file systems for SQLite that remember, fail and lose power.
//
// - `VFS/` registers a `FileSystem` with SQLite: `TestVFS` is where to start.
// - `Faults/` watches the traffic between SQLite and the file system: `Tap` records operations and makes the n-th fail.
// - `Memory/` is a disk in memory (`MemoryDisk`) whose log of events `Platter` turns into what a power loss leaves.
// - `Scenarios/` runs SQL scripts over both: `PowerLossRunner` and `FaultRunner`.

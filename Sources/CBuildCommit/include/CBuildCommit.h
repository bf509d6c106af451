// The commit from which the program was built.
#ifndef SEALITE_CBUILDCOMMIT_H
#define SEALITE_CBUILDCOMMIT_H

/// Returns the commit that was linked in: 40 hexadecimal digits, with `-modified` after them if files of the commit were changed.
/// Empty if none was.
const char *_Nonnull sealite_build_commit(void);

#endif

// Loads libedit at the first call of one of its functions.
#ifndef SEALITE_CEDITLINELOADING_H
#define SEALITE_CEDITLINELOADING_H

/// Loads libedit if it isn't loaded. Safe from any thread.
///
/// Returns why it can't be loaded, as dlerror(3) says it; NULL if it is loaded. A call of a function of libedit that isn't preceded by
/// this one ends the process with status 127 and the same text if it can't be loaded.
const char *_Nullable sealite_load_edit_line(void);

#endif

#include "CBuildCommit.h"

// In an object that scripts/link-folder.sh makes, if the Makefile builds the tool: another commit compiles nothing anew.
extern const char sealite_build_commit_text[] __attribute__((weak));

const char *sealite_build_commit(void) { return sealite_build_commit_text ? sealite_build_commit_text : ""; }

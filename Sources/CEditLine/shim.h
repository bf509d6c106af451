// What the command line takes from C: libedit's own interface, and its variadic functions by what they are called for here
// (https://man.netbsd.org/editline.3); and functions of the C library that Swift's Glibc module leaves out.
//
// libedit is loaded at the first call, not with the program, since most commands edit no lines. So that nothing links against it, what
// Swift calls has another symbol, a function of the target CEditLineLoading.
#ifndef SEALITE_CEDITLINE_SHIM_H
#define SEALITE_CEDITLINE_SHIM_H

#pragma redefine_extname el_deletestr sealite_el_deletestr
#pragma redefine_extname el_end sealite_el_end
#pragma redefine_extname el_gets sealite_el_gets
#pragma redefine_extname el_init sealite_el_init
#pragma redefine_extname el_insertstr sealite_el_insertstr
#pragma redefine_extname el_line sealite_el_line
#pragma redefine_extname el_resize sealite_el_resize
#pragma redefine_extname history_end sealite_history_end
#pragma redefine_extname history_init sealite_history_init

#include <malloc.h>
#include <histedit.h>
#include <langinfo.h>
#include <locale.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

// Reads one character; 1 where there is one, else 0 or less. A wchar_t is an int32_t on Linux.
typedef int (*sealite_el_reader)(EditLine *, int32_t *);

void sealite_el_set_context(EditLine *editor, void *context);
void *sealite_el_context(EditLine *editor);
int sealite_el_set_prompt(EditLine *editor, char *(*prompt)(EditLine *));
int sealite_el_set_keymap(EditLine *editor, const char *name);
int sealite_el_set_reader(EditLine *editor, sealite_el_reader reader);
int sealite_el_add_function(
    EditLine *editor, const char *name, const char *help, unsigned char (*function)(EditLine *, int));
int sealite_el_bind(EditLine *editor, const char *key, const char *function);
int sealite_el_unbind(EditLine *editor, const char *key);

// A Boolean value that says whether lines are edited: some terminals can't.
int sealite_el_edits(EditLine *editor);

// Sets the terminal up for editing, or back to what it was.
int sealite_el_prepare_terminal(EditLine *editor, int for_editing);
int sealite_el_refresh(EditLine *editor);
int sealite_el_set_history(EditLine *editor, History *lines);
int sealite_history_set_size(History *lines, int count);
int sealite_history_enter(History *lines, const char *line);
int sealite_history_clear(History *lines);

// A Boolean value that says whether characters are written in UTF-8.
static inline int sealite_uses_utf8(void) { return strcmp(nl_langinfo(CODESET), "UTF-8") == 0; }

// Closes the descriptors from a number on in a process to be started: posix_spawn_file_actions_addclosefrom_np(3) of glibc 2.34,
// which <spawn.h> declares only with _GNU_SOURCE. `actions` is a posix_spawn_file_actions_t.
int sealite_add_close_from(void *actions, int from) __asm__("posix_spawn_file_actions_addclosefrom_np");

// Limits the number of areas of the heap (mallopt(3)); 1 on success.
static inline int sealite_limit_heap_areas(int count) { return mallopt(M_ARENA_MAX, count); }

#endif

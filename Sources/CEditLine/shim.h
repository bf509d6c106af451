// What the command line takes from C: libedit's own interface, and its variadic functions by what they are called for here
// (https://man.netbsd.org/editline.3); and a function of the C library that Swift's Glibc module leaves out.
#ifndef SEALITE_CEDITLINE_SHIM_H
#define SEALITE_CEDITLINE_SHIM_H

#include <histedit.h>
#include <langinfo.h>
#include <locale.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

// Reads one character; 1 where there is one, else 0 or less. A wchar_t is an int32_t on Linux.
typedef int (*sealite_el_reader)(EditLine *, int32_t *);

static inline void sealite_el_set_context(EditLine *editor, void *context) {
    el_set(editor, EL_CLIENTDATA, context);
}

static inline void *sealite_el_context(EditLine *editor) {
    void *context = NULL;
    el_get(editor, EL_CLIENTDATA, &context);
    return context;
}

static inline int sealite_el_set_prompt(EditLine *editor, char *(*prompt)(EditLine *)) {
    return el_set(editor, EL_PROMPT, prompt);
}

static inline int sealite_el_set_keymap(EditLine *editor, const char *name) {
    return el_set(editor, EL_EDITOR, name);
}

static inline int sealite_el_set_reader(EditLine *editor, sealite_el_reader reader) {
    return el_wset(editor, EL_GETCFN, (int (*)(EditLine *, wchar_t *))(void *)reader);
}

static inline int sealite_el_add_function(
    EditLine *editor, const char *name, const char *help, unsigned char (*function)(EditLine *, int)) {
    return el_set(editor, EL_ADDFN, name, help, function);
}

static inline int sealite_el_bind(EditLine *editor, const char *key, const char *function) {
    return el_set(editor, EL_BIND, key, function, NULL);
}

static inline int sealite_el_unbind(EditLine *editor, const char *key) {
    return el_set(editor, EL_BIND, "-r", key, NULL);
}

// A Boolean value that says whether lines are edited: some terminals can't.
static inline int sealite_el_edits(EditLine *editor) {
    int edits = 0;
    return el_get(editor, EL_EDITMODE, &edits) == 0 && edits;
}

// Sets the terminal up for editing, or back to what it was.
static inline int sealite_el_prepare_terminal(EditLine *editor, int for_editing) {
    return el_set(editor, EL_PREP_TERM, for_editing);
}

static inline int sealite_el_refresh(EditLine *editor) { return el_set(editor, EL_REFRESH); }

static inline int sealite_el_set_history(EditLine *editor, History *lines) {
    return el_set(editor, EL_HIST, history, lines);
}

static inline int sealite_history_set_size(History *lines, int count) {
    HistEvent event;
    return history(lines, &event, H_SETSIZE, count);
}

static inline int sealite_history_enter(History *lines, const char *line) {
    HistEvent event;
    return history(lines, &event, H_ENTER, line);
}

static inline int sealite_history_clear(History *lines) {
    HistEvent event;
    return history(lines, &event, H_CLEAR);
}

// A Boolean value that says whether characters are written in UTF-8.
static inline int sealite_uses_utf8(void) { return strcmp(nl_langinfo(CODESET), "UTF-8") == 0; }

// Closes the descriptors from a number on in a process to be started: posix_spawn_file_actions_addclosefrom_np(3) of glibc 2.34,
// which <spawn.h> declares only with _GNU_SOURCE. `actions` is a posix_spawn_file_actions_t.
int sealite_add_close_from(void *actions, int from) __asm__("posix_spawn_file_actions_addclosefrom_np");

#endif

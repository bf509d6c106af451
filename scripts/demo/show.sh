# shellcheck shell=bash
# Prints a command as it can be pasted into a shell, with as few quotation marks as it needs. Sourced.
show() {
    local word line="$"
    for word in "$@"; do
        case $word in
        # Nothing in it has a meaning to the shell.
        *[!A-Za-z0-9_./:=,+@%-]* | '')
            case $word in
            *\'*[\"\$\`\\!]* | *[\"\$\`\\!]*\'*) line+=" ${word@Q}" ;;
            *\'*) line+=" \"$word\"" ;;
            *) line+=" '$word'" ;;
            esac
            ;;
        *) line+=" $word" ;;
        esac
    done
    printf '%s\n' "$line"
}

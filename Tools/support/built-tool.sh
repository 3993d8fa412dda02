# shellcheck shell=bash
# Builds a command-line tool of the package if necessary. Sourced by the commands in Tools, which set `root`.
: "${root:?the path of the package}"

# Builds the tool named by the first argument and sets `binary` to the path of its executable.
build_tool() {
    local tool=$1 stamp=$root/.build/$1.built
    binary=$root/.build/release/$tool
    # The stamp has the start time of the last successful build. Adding or removing a file makes its folder newer.
    if [[ -x $binary && -e $stamp ]] \
        && [[ -z $(find "$root/Package.swift" "$root/Sources" -newer "$stamp" -print -quit) ]]; then
        return
    fi
    # shellcheck source=Tools/support/set-up.sh
    source "$root/Tools/support/set-up.sh"
    set_up
    say "building $tool; the first build takes a few minutes"
    mkdir -p "$root/.build"
    touch "$stamp.new"
    local options=(-c release --product "$tool" --package-path "$root")
    # A statically linked tool starts faster and needs no Swift installation to run.
    [[ $(uname) != Linux ]] || options+=(--static-swift-stdlib)
    swift build "${options[@]}" </dev/null >&2 || stop "the build failed" "see the compiler's messages above"
    mv -f "$stamp.new" "$stamp"
}

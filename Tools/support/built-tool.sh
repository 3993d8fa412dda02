# Builds a command-line tool of the package where that is necessary; sourced by the commands in Tools, which set `root`.

# Leaves the path of the tool's binary in `binary`.
build_tool() {
    local tool=$1 stamp=$root/.build/$1.built
    binary=$root/.build/release/$tool
    # The stamp bears the time at which the last good build began. A folder is newer than it when a file came or went.
    if [[ -x $binary && -e $stamp ]] \
        && [[ -z $(find "$root/Package.swift" "$root/Sources" -newer "$stamp" -print -quit) ]]; then
        return
    fi
    # shellcheck source=Tools/support/set-up.sh
    source "$root/Tools/support/set-up.sh"
    set_up
    say "building $tool, which takes a few minutes the first time"
    mkdir -p "$root/.build"
    touch "$stamp.new"
    local options=(-c release --product "$tool" --package-path "$root")
    # The tool starts faster, and runs where no Swift is installed.
    [[ $(uname) != Linux ]] || options+=(--static-swift-stdlib)
    swift build "${options[@]}" </dev/null >&2 || stop "the build failed" "its messages are above"
    mv -f "$stamp.new" "$stamp"
}

# Builds the modules, extracts their symbol graphs and converts their DocC catalogues. Sourced by commands in Tools that
# set `root`, change to it, and source set-up.sh.
# shellcheck shell=bash disable=SC2154

# shellcheck source=Tools/support/build-options.sh
source "$root/Tools/support/build-options.sh"

# One folder per module. The graphs of a module are its own and those of its extensions of types of other modules.
symbol_graphs=$root/.build/symbol-graphs

# Prints the path of a tool of the Swift toolchain.
find_tool() {
    local beside
    beside=$(dirname "$(command -v swift)")/$1
    if [[ -x $beside ]]; then
        printf '%s' "$beside"
    elif ! command -v "$1" && ! xcrun --find "$1" 2>/dev/null; then
        return 1
    fi
}

# Builds all modules and extracts the graph of each one's public symbols, without members that protocols of the standard
# library add.
extract_symbol_graphs() {
    local extract binaries target map modulemaps=() sdk=()
    extract=$(find_tool swift-symbolgraph-extract) || stop "swift-symbolgraph-extract is missing" \
        "install a toolchain from https://www.swift.org/install"
    swift build --quiet "${strict[@]}" </dev/null >&2 || stop "the build failed" "its messages are above"
    binaries=$(swift build --show-bin-path)
    target=$(swift -print-target-info | sed -n 's/^ *"triple": "\(.*\)",$/\1/p' | head -n 1)
    for map in Sources/*/module.modulemap "$binaries"/*.build/module.modulemap; do
        modulemaps+=(-Xcc "-fmodule-map-file=$map")
    done
    [[ $(uname) != Darwin ]] || sdk=(-sdk "$(xcrun --show-sdk-path)")
    rm -rf "$symbol_graphs"
    local folder module
    for folder in Sources/*/; do
        module=$(basename "$folder")
        module=${module//-/_}
        [[ -e $binaries/Modules/$module.swiftmodule ]] || continue
        mkdir -p "$symbol_graphs/$module"
        "$extract" -module-name "$module" -I "$binaries/Modules" "${modulemaps[@]}" -target "$target" \
            "${sdk[@]+"${sdk[@]}"}" -module-cache-path "$binaries/ModuleCache" -minimum-access-level public \
            -skip-synthesized-members -emit-extension-block-symbols -output-dir "$symbol_graphs/$module" \
            || stop "the symbol graph of $module could not be extracted" "its messages are above"
    done
}

# Prints the targets that have a catalogue, each after those that it imports.
documented_targets() {
    local catalogue target imported targets=()
    for catalogue in Sources/*/*.docc; do
        targets+=("$(basename "$(dirname "$catalogue")")")
    done
    for target in "${targets[@]}"; do
        for imported in "${targets[@]}"; do
            if [[ $imported == "$target" ]] || grep -rqsE --include="*.swift" "^ *([a-z]+ )?import $imported\$" "Sources/$target"; then
                printf '%s %s\n' "$imported" "$target"
            fi
        done
    done | tsort
}

# Converts a catalogue into an archive, and prints the warnings; fails when DocC warns. Further arguments are options of
# `docc convert`.
convert_catalogue() {
    local catalogue=$1 name=$2 archive=$3 log docc
    shift 3
    docc=$(find_tool docc) || stop "docc is missing" "install a toolchain from https://www.swift.org/install"
    log=$symbol_graphs/$name.log
    rm -rf "$archive"
    # Without --warnings-as-errors, because the next modules need the archive in any case.
    "$docc" convert "$catalogue" --output-path "$archive" --fallback-display-name "$name" \
        --fallback-bundle-identifier "$name" --fallback-default-module-kind Module \
        --enable-experimental-external-link-support --ide-console-output "$@" </dev/null >"$log" 2>&1 \
        || { cat "$log" >&2; stop "docc could not convert $catalogue"; }
    ! grep -E '(^|: )(warning|error): ' "$log" | sed "s|^$root/||" | sort -u >&2
}

# Converts the catalogue of every target into an archive in a folder; fails when DocC warns. Further arguments are options
# of `docc convert`.
#
# The archives of earlier modules are passed on, so that a link such as ``/ReceiptTypes/VerificationFailure`` resolves.
convert_catalogues() {
    local output=$1 target archives=() has_warnings=false
    shift
    mkdir -p "$output"
    for target in $(documented_targets); do
        convert_catalogue "Sources/$target/$target.docc" "$target" "$output/$target.doccarchive" \
            --additional-symbol-graph-dir "$symbol_graphs/${target//-/_}" "${archives[@]+"${archives[@]}"}" "$@" \
            || has_warnings=true
        archives+=(--dependency "$output/$target.doccarchive")
    done
    ! $has_warnings
}

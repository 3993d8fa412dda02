# The release builds of the C library and of the tools, which all packages contain. Sourced by commands in Tools that
# source set-up.sh. Tools/package and its parts also set `invoked_from`, the first working directory.
# shellcheck shell=bash
: "${root:?the path of the package}" "${invoked_from:=$PWD}" "${output:=$root/.build/package}"

# shellcheck disable=SC2034
tools=(verify-receipt local-store purchases paywall-preview)
# shellcheck disable=SC2034
architecture=$(uname -m)
# The one place of the version; a test compares the header of the C library with it.
version=$(sed -n 's/^.*cText: StaticString = "\(.*\)"$/\1/p' "$root/Sources/ReceiptTypes/Values/PackageVersion.swift")

# The options of all builds, so that each file is compiled once. Everything has its own copy of Swift. Nothing depends
# on the folder of the package: OpenSSL's functions take the name of the file that calls them, Swift's messages name
# files, and for incremental builds Swift writes a hash into each object, in which such names count. Libraries come from
# the folders of the system only, never from the folder of the program, and all functions are resolved at the start.
release_options=(
    -c release --package-path "$root" --scratch-path "$root/.build/packages" -debug-info-format none
    --static-swift-stdlib -Xswiftc -static-stdlib -Xswiftc -use-ld=lld
    -Xcc "-ffile-prefix-map=$root=." -Xswiftc -file-prefix-map -Xswiftc "$root=."
    -Xswiftc -Xfrontend -Xswiftc -disable-incremental-llvm-codegen
    -Xlinker --build-id=none --disable-local-rpath -Xlinker -z -Xlinker now
)

# Prints the path of a folder that the caller has named.
from_caller() { case $1 in /*) printf '%s' "$1" ;; *) printf '%s' "$invoked_from/$1" ;; esac; }

# Sets SOURCE_DATE_EPOCH, the time of all files in packages, to the time of the last commit unless it is set.
set_time() {
    export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct 2>/dev/null || echo 1704067200)}
}

# Gives the files below a folder the modes and the time of packages.
normalize() {
    chmod -R u=rwX,go=rX "$1"
    find "$1" -exec touch --no-dereference --date "@$SOURCE_DATE_EPOCH" {} +
}

# Builds a product with the options of a release and some more, and prints the folder of the result.
build_product() {
    local options=("${release_options[@]}" --product "$1" "${@:2}")
    swift build "${options[@]}" </dev/null >&2 || stop "the build failed" "see the compiler's messages above"
    swift build "${options[@]}" --show-bin-path
}

binary_tool() {
    # The tools of the toolchain stand beside swift, and have these names there.
    local folder
    folder=$(dirname "$(realpath "$(command -v swift)")")
    if [[ -x $folder/llvm-$1 ]]; then printf '%s' "$folder/llvm-$1"; else command -v "$1"; fi
}

# Copies a program or a library without its symbols and its comments.
strip_to() {
    "$(binary_tool strip)" --strip-all --remove-section=.comment -o "$2" "$1"
    chmod "$3" "$2"
}

# Fails unless a program or a library searches the folders of the system only, or that of the second argument, and has
# all functions resolved before it runs.
check_linking() {
    local dynamic found
    dynamic=$(LC_ALL=C "$(binary_tool readelf)" --wide --dynamic "$1")
    found=$(sed -nE 's/^.*\((RUNPATH|RPATH)\).*\[(.*)\]$/\2/p' <<<"$dynamic")
    [[ $found == "${2-}" ]] || { say "$1 searches libraries in ${found:-no folder}, not in ${2:-no folder}"; exit 1; }
    grep -qE '\(FLAGS\).*BIND_NOW|\(FLAGS_1\).*NOW' <<<"$dynamic" || { say "$1 is not linked with BIND_NOW"; exit 1; }
}

# Fails unless the library exports what its list names, and needs no other libraries than those of the documentation.
check_library() {
    local library=$1 names expected found needed
    names=$(binary_tool nm)
    expected=$(sed -n 's/^ *\(receiptverify_[a-z_]*\);$/\1/p' Tools/support/receiptverify.map | sort)
    found=$("$names" -D --defined-only "$library" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort)
    if [[ $expected != "$found" ]]; then
        say "the library exports other names than Tools/support/receiptverify.map lists:"
        diff <(printf '%s\n' "$expected") <(printf '%s\n' "$found") >&2 || true
        exit 1
    fi
    needed=$(ldd "$library" | awk '{ print $1 }' | sed 's,.*/,,; s/\.so.*//' \
        | grep -vxE 'linux-vdso|lib(crypto|jansson|c|m|dl|rt|pthread|stdc\+\+|gcc_s)|ld-linux.*' || true)
    [[ -z $needed ]] || { say "the library needs other libraries: $needed"; exit 1; }
}

# Writes the file for pkg-config of a library below a prefix.
write_pkg_config() {
    cat <<END_OF_FILE
prefix=$1
libdir=\${prefix}/$2
includedir=\${prefix}/include

Name: receiptverify
Description: Verifies receipts of the App Store and of Google Play
Version: $version
Cflags: -I\${includedir}
Libs: -L\${libdir} -lreceiptverify
END_OF_FILE
}

# Makes `output`/library: the C library with its header and its file for pkg-config.
build_library() {
    [[ $(uname) == Linux ]] || stop "packages are built on Linux only"
    set_up
    local built folder=$output/library
    say "building libreceiptverify; the first build takes a few minutes"
    # The copy of Swift is hidden, so that it does not meet another one in the process.
    built=$(build_product receiptverify -Xlinker "--version-script=$root/Tools/support/receiptverify.map" \
        -Xlinker -soname=libreceiptverify.so.0 -Xlinker --gc-sections -Xlinker -z -Xlinker defs \
        -Xlinker -z -Xlinker nodelete)/libreceiptverify.so
    rm -rf "$folder"
    mkdir -p "$folder/lib/pkgconfig" "$folder/include"
    strip_to "$built" "$folder/lib/libreceiptverify.so.$version" 644
    ln -s "libreceiptverify.so.$version" "$folder/lib/libreceiptverify.so.0"
    ln -s libreceiptverify.so.0 "$folder/lib/libreceiptverify.so"
    cp Sources/CReceiptVerify/receiptverify.h "$folder/include/"
    # shellcheck disable=SC2016
    write_pkg_config '${pcfiledir}/../..' lib >"$folder/lib/pkgconfig/receiptverify.pc"
    cp Tools/debian/copyright "$folder/COPYRIGHT"
    check_library "$folder/lib/libreceiptverify.so.$version"
    check_linking "$folder/lib/libreceiptverify.so.$version"
}

# Makes `output`/tools: the tools with their manual pages and completions.
build_tools() {
    [[ $(uname) == Linux ]] || stop "packages are built on Linux only"
    set_up
    local tool binary folder=$output/tools
    rm -rf "$folder"
    mkdir -p "$folder/bin" "$folder/share/man/man1" "$folder/share/bash-completion/completions" \
        "$folder/share/zsh/site-functions" "$folder/share/fish/vendor_completions.d"
    for tool in "${tools[@]}"; do
        say "building $tool"
        binary=$folder/bin/$tool
        strip_to "$(build_product "$tool")/$tool" "$binary" 755
        check_linking "$binary"
        "$binary" --generate man >"$folder/share/man/man1/$tool.1"
        "$binary" --generate complete-bash >"$folder/share/bash-completion/completions/$tool"
        "$binary" --generate complete-zsh >"$folder/share/zsh/site-functions/_$tool"
        "$binary" --generate complete-fish >"$folder/share/fish/vendor_completions.d/$tool.fish"
    done
    cp Tools/debian/copyright "$folder/COPYRIGHT"
}

# Writes the bill of materials of some packages, and prints its path.
write_bill() {
    local bill=$1 python
    shift
    python=$(Tools/support/python)
    "$python" -I -B Tools/support/bill_of_materials.py --version "$version" \
        --swift "$(swift --version 2>/dev/null | sed -n 's/^.*Swift version \([0-9.]*\).*$/\1/p')" --output "$bill" "$@"
    printf '%s\n' "$bill"
}

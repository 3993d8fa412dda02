# The options of the builds of the C library, so that Tools/package and Tools/python-tests build its sources once.
# Sourced by these commands, which set `root`.
# shellcheck shell=bash
: "${root:?the path of the package}"

# The library has its own copy of Swift.
# shellcheck disable=SC2034
library_options=(
    -c release --package-path "$root" --scratch-path "$root/.build/library" -debug-info-format none
    --static-swift-stdlib -Xswiftc -static-stdlib -Xswiftc -use-ld=lld
    # OpenSSL's functions take the name of the file that calls them; the folder of the package is left out of it.
    -Xcc "-ffile-prefix-map=$root=."
)

# The options of every build of the checks, in `strict`: Tools/test and the commands that it calls build with the same
# ones, so that nothing is built twice. Sourced by commands in Tools.
# shellcheck shell=bash

# Sets `strict`. With CHECKED_C=true in the environment, undefined behaviour in a C function of the package ends the
# process. UndefinedBehaviorSanitizer checks C alone and costs next to nothing; AddressSanitizer would replace the
# allocator, which makes debug builds of Swift several times slower.
set_build_options() {
    strict=(-Xswiftc -warnings-as-errors -Xcc -Werror)
    # A build server starts no debugger, and without debug information a build takes an eighth less of its time.
    [[ ${CI-} != true ]] || strict+=(-debug-info-format none)
    if [[ ${CHECKED_C-} == true ]]; then
        strict+=(
            -Xcc -fsanitize=undefined -Xcc -fno-sanitize-recover=undefined
            -Xswiftc -Xclang-linker -Xswiftc -fsanitize=undefined
        )
        # The default linker warns about symbols of the runtime.
        [[ $(uname) != Linux ]] || strict+=(-Xswiftc -use-ld=lld)
    fi
}
set_build_options

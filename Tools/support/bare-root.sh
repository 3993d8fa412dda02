# shellcheck shell=bash
# New Debian roots with nothing but Debian's essential packages, in which packages are installed and used, and what else
# checks of packages need. Sourced by the parts of Tools/package, which source set-up.sh.

# Returns whether programs of Debian are there, whose packages have their names. Installs them if the first argument is
# true.
find_checkers() {
    local install=$1 program missing=()
    shift
    for program in "$@"; do command -v "$program" >/dev/null || missing+=("$program"); done
    ((${#missing[@]} > 0)) || return 0
    if ! $install || ! command -v apt-get >/dev/null || ! (install_packages "${missing[@]}"); then
        say "the packages are not checked: ${missing[*]} cannot be had"
        say "hint: use --install, or run: apt-get install ${missing[*]}"
        return 1
    fi
}

# Runs a script in a new root of a release of Debian, with the files of a folder beside it, and with more packages if
# the last argument names them. Exits with 3 if the root cannot be made, and with 1 if the script fails.
in_bare_root() {
    local suite=$1 given=$2 script=$3 packages=${4-} log code=0 ready="the root is ready"
    local options=(--quiet --variant=minbase --format=null)
    [[ -z $packages ]] || options+=(--include="$packages")
    say "${script##*/} in a root of Debian $suite"
    cp "$script" "$given/check.sh"
    # Root of another user namespace has to read it.
    chmod -R a+rX "$(dirname "$given")"
    log=$(mktemp)
    # The root has a copy of this machine's resolv.conf as long as the hooks run.
    # shellcheck disable=SC2016
    mmdebstrap "${options[@]}" --customize-hook="sync-in $given /mnt" --customize-hook="echo '$ready'" \
        --customize-hook='chroot "$1" /bin/sh -eu /mnt/check.sh' "$suite" /dev/null </dev/null >"$log" 2>&1 || code=$?
    if ((code)) && ! grep -q "^$ready" "$log"; then
        tail -n 5 "$log" >&2
        rm -f "$log"
        say "the packages are not installed and used: mmdebstrap could not make a root of Debian $suite"
        exit 3
    fi
    sed "0,/^$ready/d" "$log" >&2
    rm -f "$log"
    ((code == 0)) || { say "${script##*/} failed in a root of Debian $suite"; exit 1; }
}

# Validates a bill of materials with SPDX's own tools.
validate_bill() {
    local python
    python=$(Tools/support/python Tools/support/requirements-packages.txt) || exit 3
    "$python" -I -B -m spdx_tools.spdx.clitools.pyspdxtools --infile "$1" \
        || { say "the bill of materials is not valid: $1"; exit 1; }
}

# Writes a policy for the samples of TestVectors/samples, which are in the folder `samples`.
write_policy() {
    cat <<'END'
{"schema": "verify-receipt/config-1", "onlyGivenRoots": true,
 "roots": [{"file": "samples/root.der", "environments": ["Production", "Sandbox"]}],
 "apps": [{"bundleId": "com.example.app", "environments": ["Production", "Sandbox"]}]}
END
}

# shellcheck shell=bash
# Checks that cannot run on this machine. Sourced by Tools/test, which sources set-up.sh before.

skipped=()

# Reports a check that cannot run here. In CI that is a failure: a check that never runs would go unnoticed.
skip() {
    [[ ${CI-} != true ]] || stop "a check cannot run in CI: $1"
    say "skipped: $1"
    skipped+=("$1")
}

# Prints the skipped checks, as the last lines of a run.
report_skipped() {
    local reason
    for reason in "${skipped[@]+"${skipped[@]}"}"; do say "skipped: $reason"; done
}

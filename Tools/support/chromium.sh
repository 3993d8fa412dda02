# shellcheck shell=bash
# Finds the browser of the tests. Sourced by commands in Tools, which source set-up.sh before.

# Fails, with a message, if chromium with chromedriver cannot be had. With true as the argument, installs Debian's.
find_chromium() {
    local install=$1
    has_chromium && return
    if $install && command -v apt-get >/dev/null; then
        # A text without a font has no size. A failure is reported below.
        (install_packages chromium chromium-driver fonts-dejavu-core) || true
        has_chromium && return
    fi
    say "there is no chromium with chromedriver"
    say "hint: use --install, or apt-get install chromium chromium-driver"
    return 1
}

has_chromium() { command -v chromium >/dev/null && command -v chromedriver >/dev/null; }

# Makes sure that everything is there that a build needs; sourced by the commands in Tools.
# Says what it does on standard error, and does nothing when nothing is missing.

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }

stop() {
    say "$1"
    [[ $# -lt 2 ]] || say "hint: $2"
    exit 2
}

find_libraries() {
    command -v pkg-config >/dev/null && pkg-config --exists 'libcrypto >= 3' && pkg-config --exists jansson
}

# Homebrew keeps OpenSSL where pkg-config does not look by itself.
find_homebrew_libraries() {
    command -v brew >/dev/null || return 0
    local prefix
    prefix=$(brew --prefix)
    export PKG_CONFIG_PATH="$prefix/opt/openssl@3/lib/pkgconfig:$prefix/lib/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
}

install_with_apt() {
    local run=(env DEBIAN_FRONTEND=noninteractive)
    if [[ $(id -u) -ne 0 ]]; then
        command -v sudo >/dev/null || stop "libssl-dev, libjansson-dev and pkg-config are missing, and there is no sudo" \
            "as root: apt-get install libssl-dev libjansson-dev pkg-config"
        # Without a terminal nobody can type a password.
        if [[ -t 2 ]]; then run=(sudo "${run[@]}"); else run=(sudo -n "${run[@]}"); fi
    fi
    local install=("${run[@]}" apt-get install -y --no-install-recommends libssl-dev libjansson-dev pkg-config)
    say "installing libssl-dev, libjansson-dev and pkg-config"
    # The package lists of a fresh machine are often absent or old: then they are fetched, and it is tried once more.
    "${install[@]}" </dev/null >&2 || { "${run[@]}" apt-get update </dev/null >&2 && "${install[@]}" </dev/null >&2; } \
        || stop "apt-get could not install them" "apt-get install libssl-dev libjansson-dev pkg-config"
}

set_up() {
    command -v swift >/dev/null || stop "there is no swift" "install Swift 6.2 or newer from https://www.swift.org/install"
    find_homebrew_libraries
    find_libraries && return
    if command -v apt-get >/dev/null; then
        install_with_apt
    elif command -v brew >/dev/null; then
        say "installing openssl@3, jansson and pkgconf"
        brew install openssl@3 jansson pkgconf </dev/null >&2 || stop "brew could not install them"
        find_homebrew_libraries
    else
        stop "OpenSSL 3, Jansson or pkg-config is missing" \
            "install their development packages (openssl-devel, jansson-devel, pkgconf-pkg-config)"
    fi
    find_libraries || stop "OpenSSL 3 or Jansson is still not found by pkg-config" "see pkg-config --modversion libcrypto jansson"
}

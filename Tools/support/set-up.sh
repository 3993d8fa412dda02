# shellcheck shell=bash
# Installs what a build needs and is missing. Sourced by the commands in Tools.
# Messages go to standard error; nothing is printed if nothing is missing.

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }

# Prints an error and, if there is a second argument, a hint; exits with 2.
stop() {
    say "$1"
    [[ $# -lt 2 ]] || say "hint: $2"
    exit 2
}

find_libraries() {
    command -v pkg-config >/dev/null && pkg-config --exists 'libcrypto >= 3' jansson 'sqlite3 >= 3.37' \
        'libmicrohttpd >= 0.9.75'
}

# Adds Homebrew's folders to PKG_CONFIG_PATH: pkg-config does not search those of OpenSSL and SQLite by default.
find_homebrew_libraries() {
    command -v brew >/dev/null || return 0
    local prefix
    prefix=$(brew --prefix)
    export PKG_CONFIG_PATH="$prefix/opt/openssl@3/lib/pkgconfig:$prefix/opt/sqlite/lib/pkgconfig:$prefix/lib/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
}

# Installs Debian packages.
install_packages() {
    local run=(env DEBIAN_FRONTEND=noninteractive)
    if [[ $(id -u) -ne 0 ]]; then
        command -v sudo >/dev/null || stop "cannot install $*: sudo is missing" "run as root: apt-get install $*"
        # Without a terminal, sudo must not ask for a password.
        if [[ -t 2 ]]; then run=(sudo "${run[@]}"); else run=(sudo -n "${run[@]}"); fi
    fi
    local install=("${run[@]}" apt-get install -y --no-install-recommends "$@")
    say "installing $*"
    # The package lists of a new machine are often missing or outdated: update them and try again.
    "${install[@]}" </dev/null >&2 || { "${run[@]}" apt-get update </dev/null >&2 && "${install[@]}" </dev/null >&2; } \
        || stop "apt-get could not install $*" "run: apt-get install $*"
}

set_up() {
    command -v swift >/dev/null \
        || stop "the swift command is missing" "install Swift 6.3 or newer from https://www.swift.org/install"
    find_homebrew_libraries
    find_libraries && return
    if command -v apt-get >/dev/null; then
        install_packages libssl-dev libjansson-dev libsqlite3-dev libmicrohttpd-dev pkg-config
    elif command -v brew >/dev/null; then
        say "installing openssl@3, jansson, sqlite, libmicrohttpd and pkgconf"
        brew install openssl@3 jansson sqlite libmicrohttpd pkgconf </dev/null >&2 \
            || stop "brew could not install openssl@3, jansson, sqlite, libmicrohttpd and pkgconf"
        find_homebrew_libraries
    else
        stop "OpenSSL 3, Jansson, SQLite 3, libmicrohttpd or pkg-config is missing" \
            "install the development packages, such as openssl-devel, jansson-devel, sqlite-devel, libmicrohttpd-devel and pkgconf-pkg-config"
    fi
    find_libraries \
        || stop "pkg-config does not find OpenSSL 3, Jansson, SQLite 3.37 or libmicrohttpd 0.9.75" \
            "run: pkg-config --modversion libcrypto jansson sqlite3 libmicrohttpd"
}

has_secret_service() {
    local program
    for program in dbus-daemon dbus-send dbus-monitor gnome-keyring-daemon secret-tool; do
        command -v "$program" >/dev/null || return 1
    done
    # The folder is not in the path of every user.
    [[ $(PATH=$PATH:/sbin:/usr/sbin ldconfig -p) == *libsecret-1.so.0* ]]
}

# Installs what the tests of the Secret Service need; fails if it cannot be had.
set_up_secret_service() {
    has_secret_service && return
    command -v apt-get >/dev/null || return
    (install_packages libsecret-1-0 libsecret-tools gnome-keyring dbus) || return
    has_secret_service
}

# Installs the program sqlite3, which the Node endpoint of the documentation starts; fails if it cannot be had.
set_up_sqlite_program() {
    command -v sqlite3 >/dev/null && return
    command -v apt-get >/dev/null || return
    (install_packages sqlite3)
}

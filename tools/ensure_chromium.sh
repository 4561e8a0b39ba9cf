#!/bin/sh
# Makes sure that the browser tests have a Chromium; silent where one is there already.
# ADJUDGE_CHROMIUM names a binary that is used before any other.
set -u

ask="install chromium (Debian: apt-get install chromium), or set ADJUDGE_CHROMIUM to a Chromium or Chrome binary"

if [ -n "${ADJUDGE_CHROMIUM:-}" ]; then
    command -v "$ADJUDGE_CHROMIUM" >/dev/null 2>&1 && exit 0
    echo "ADJUDGE_CHROMIUM is \"$ADJUDGE_CHROMIUM\", which is no program; expected a Chromium or Chrome binary" >&2
    exit 1
fi

for name in chromium chromium-browser google-chrome; do
    command -v "$name" >/dev/null 2>&1 && exit 0
done

if [ "$(id -u)" -eq 0 ]; then
    as_root=
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    as_root="sudo -n"
else
    echo "no Chromium for the browser tests: $ask" >&2
    exit 1
fi
if ! command -v apt-get >/dev/null 2>&1; then
    echo "no Chromium for the browser tests: $ask" >&2
    exit 1
fi

echo "Installing chromium for the browser tests ..."
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
# shellcheck disable=SC2086  # as_root is empty or two words
if ! { $as_root apt-get -qq update &&
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq install --yes --no-install-recommends chromium
} >"$log" 2>&1; then
    tail -n 5 "$log" >&2
    echo "chromium could not be installed: $ask" >&2
    exit 1
fi

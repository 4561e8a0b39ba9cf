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

sh "$(dirname "$0")/apt_install.sh" "the browser tests" chromium && exit 0
echo "no Chromium for the browser tests: $ask" >&2
exit 1

#!/bin/sh
# Makes sure that the tests behind proxies have nginx, Caddy and openssl; silent where they are there already.
set -u
PATH=$PATH:/usr/sbin:/usr/local/sbin
missing=
for name in nginx caddy openssl; do
    command -v "$name" >/dev/null 2>&1 || missing="$missing $name"
done
[ -z "$missing" ] && exit 0
# shellcheck disable=SC2086  # one word a package
exec sh "$(dirname "$0")/apt_install.sh" "the tests behind proxies" $missing

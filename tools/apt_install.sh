#!/bin/sh
# apt_install.sh PURPOSE PACKAGE...: installs Debian packages, or says what to install. No service is started.
set -u
purpose=$1
shift

if [ "$(id -u)" -eq 0 ]; then
    as_root=
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    as_root="sudo -n"
else
    echo "missing for $purpose; install: $*" >&2
    exit 1
fi
if ! command -v apt-get >/dev/null 2>&1; then
    echo "missing for $purpose; install: $*" >&2
    exit 1
fi

echo "Installing $* for $purpose ..."
policy=${POLICY_RC_D:-/usr/sbin/policy-rc.d}  # Debian asks it whether services may be started
log= mine=
tidy() {
    trap '' HUP INT TERM
    [ -z "$log" ] || rm -f "$log"
    [ -z "$mine" ] || $as_root rm -f "$policy"
}
trap tidy EXIT
# dash runs no EXIT trap when a signal ends it: end as one does who was told to, which runs it.
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
log=$(mktemp) || exit 1
if [ ! -e "$policy" ]; then
    mine=yes
    printf '#!/bin/sh\nexit 101\n' | $as_root tee "$policy" >/dev/null && $as_root chmod 755 "$policy"
fi
# shellcheck disable=SC2086  # as_root is empty or two words
if ! { $as_root apt-get -qq update &&
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq install --yes --no-install-recommends "$@"
} >"$log" 2>&1; then
    tail -n 5 "$log" >&2
    echo "could not be installed for $purpose: $*" >&2
    exit 1
fi
if [ -d /run/systemd/system ]; then  # nor at the next start of this computer
    for service in nginx caddy; do
        case " $* " in *" $service "*) $as_root systemctl disable --quiet "$service" || true ;; esac
    done
fi

"""Whether a folder is on a network file system, where SQLite's locks and shared memory do not hold.

Linux tells it for certain; macOS and Windows as well as they can be asked without privileges. Where nothing
can be learnt, nothing is refused.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import warnings
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from adjudge.errors import DataError

OVERRIDE = "ADJUDGE_ALLOW_NETWORK_FILES"

NETWORK = frozenset(
    {
        "9p",
        "afpfs",
        "afs",
        "beegfs",
        "ceph",
        "cifs",
        "coda",
        "davfs",
        "davfs2",
        "drvfs",
        "ftp",
        "gfs2",
        "glusterfs",
        "gpfs",
        "lustre",
        "ncpfs",
        "nfs",
        "nfs3",
        "nfs4",
        "ocfs2",
        "orangefs",
        "pvfs2",
        "smb",
        "smb2",
        "smb3",
        "smbfs",
        "vboxsf",
        "vmhgfs",
        "webdav",
    }
)
NETWORK_FUSE = frozenset(
    {
        "afuse",
        "ceph-fuse",
        "curlftpfs",
        "davfs2",
        "gcsfuse",
        "glusterfs",
        "goofys",
        "google-drive-ocamlfuse",
        "gvfsd-fuse",
        "httpfs",
        "juicefs",
        "lustre",
        "mount-s3",
        "moosefs",
        "rclone",
        "s3fs",
        "s3ql",
        "seaweedfs",
        "smbnetfs",
        "sshfs",
        "vmhgfs-fuse",
    }
)


class NetworkFiles(UserWarning):
    """Judgments are kept on a network file system because somebody said so."""


def refuse_network(path: Path, *, allowed: bool = False) -> None:
    """Raises for a place on a network file system; warns instead where that was allowed."""
    kind = network_kind(path)
    if kind is None:
        return
    problem = f"{path}: on a network file system ({kind}), where SQLite loses data"
    if not allowed and os.environ.get(OVERRIDE, "") in ("", "0"):
        raise DataError(
            f"{problem}; keep the evaluation on a local disk or use PostgreSQL"
            f" (or set {OVERRIDE}=1 and answer for it)"
        )
    warnings.warn(f"{problem}; this was allowed", NetworkFiles, stacklevel=2)


def network_kind(path: Path) -> str | None:
    """The kind of network file system that holds `path`, None where it is local or cannot be told."""
    place = path.resolve()
    if sys.platform == "win32":
        return _windows(place)
    if sys.platform == "darwin":
        kind = _kind_at(place, _mac_mounts())
    else:
        kind = _kind_at(place, _linux_mounts())
    return kind if kind is not None and is_network(kind) else None


def is_network(kind: str) -> bool:
    """Whether a type of file system, as the mount table names it, is one of the network."""
    name = kind.lower()
    if name.startswith(("fuse.", "fuseblk.")):
        return name.partition(".")[2] in NETWORK_FUSE
    return name in NETWORK or name in NETWORK_FUSE


def _kind_at(place: Path, mounts: Iterable[tuple[str, str]]) -> str | None:
    """The type of the mount that a path is on: the longest one above it, of equals the last, which hides others."""
    above = {str(place), *map(str, place.parents)}
    found, kind = "", None
    for point, each in mounts:
        if point in above and len(point) >= len(found):
            found, kind = point, each
    return kind


def _linux_mounts() -> list[tuple[str, str]]:
    try:
        return parse_mountinfo(
            Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="surrogateescape")
        )
    except OSError:
        return []


def parse_mountinfo(text: str) -> list[tuple[str, str]]:
    """Mount points and types of /proc/self/mountinfo: the fifth field, and the first after the lone dash."""
    mounts = []
    for line in text.splitlines():
        before, dash, after = line.partition(" - ")
        fields = before.split(" ")
        if dash and len(fields) >= 5:
            mounts.append((_unescaped(fields[4]), after.split(" ")[0]))
    return mounts


def _unescaped(point: str) -> str:
    """The kernel writes space, tab, newline and backslash as three octal digits."""
    return re.sub(r"\\([0-7]{3})", lambda m: chr(int(m[1], 8)), point)


def _mac_mounts() -> list[tuple[str, str]]:
    try:
        done = subprocess.run(["/sbin/mount"], capture_output=True, text=True, check=True, timeout=10)
    except (OSError, subprocess.SubprocessError):
        return []
    return parse_mount(done.stdout)


def parse_mount(text: str) -> list[tuple[str, str]]:
    """Mount points and types of macOS's mount: `//ann@host/share on /Volumes/share (smbfs, nodev)`."""
    found = (re.match(r".*? on (/.*) \(([^,)]+)[,)]", line) for line in text.splitlines())
    return [(str(PurePosixPath(m[1])), m[2].strip()) for m in found if m]


def _windows(place: Path) -> str | None:
    if place.drive.startswith("\\\\"):
        return "a share"
    if sys.platform == "win32":
        import ctypes

        remote = 4  # DRIVE_REMOTE
        if ctypes.windll.kernel32.GetDriveTypeW(place.anchor) == remote:
            return "a network drive"
    return None

"""Network file systems are known by their names in the mount tables, and refused."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from adjudge.core.errors import DataError
from adjudge.judgments.store import database
from adjudge.judgments.store.database import (
    OVERRIDE,
    NetworkFiles,
    is_network,
    network_kind,
    parse_mount,
    parse_mountinfo,
    refuse_network,
)
from adjudge.judgments.store.store import open_store

# The form that proc(5) describes; the kernel writes a space in a path as \040.
MOUNTINFO = """\
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
36 22 0:30 / /home rw,relatime shared:2 master:3 - nfs4 server:/home rw,vers=4.2
37 36 8:2 / /home/ann/local\\040disk rw - xfs /dev/sdb1 rw
38 22 0:31 / /mnt/c rw - 9p drvfs rw
39 22 0:32 / /mnt/ssh rw - fuse.sshfs ann@host:/ rw
40 22 0:33 / /mnt/over rw - nfs a:/ rw
41 22 0:34 / /mnt/over rw - tmpfs tmpfs rw
42 22 0:35 / /mnt/ntfs rw - fuseblk /dev/sdc1 rw
"""

MAC = """\
/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)
//ann@host/share on /Volumes/a share (smbfs, nodev, nosuid, mounted by ann)
map auto_home on /System/Volumes/Data/home (autofs, automounted, nobrowse)
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/var/x", "ext4"),
        ("/home", "nfs4"),
        ("/home/ann/evaluation", "nfs4"),
        ("/homes/ann", "ext4"),
        ("/home/ann/local disk/evaluation", "xfs"),
        ("/mnt/c/Users", "9p"),
        ("/mnt/ssh/x", "fuse.sshfs"),
        ("/mnt/over/x", "tmpfs"),  # mounted later, over the other
    ],
)
def test_a_path_is_on_the_nearest_mount_above_it(path: str, kind: str) -> None:
    assert database._kind_at(Path(path), parse_mountinfo(MOUNTINFO)) == kind


def test_macs_table_is_read_too() -> None:
    assert parse_mount(MAC) == [
        ("/", "apfs"),
        ("/Volumes/a share", "smbfs"),
        ("/System/Volumes/Data/home", "autofs"),
    ]


@pytest.mark.parametrize(
    "kind", ["nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "fuse.sshfs", "fuse.rclone", "CEPH"]
)
def test_these_are_on_a_network(kind: str) -> None:
    assert is_network(kind)


@pytest.mark.parametrize(
    "kind", ["ext4", "xfs", "btrfs", "tmpfs", "apfs", "fuseblk", "fuse.ntfs", "overlay", "zfs"]
)
def test_these_are_not(kind: str) -> None:
    assert not is_network(kind)


def test_a_table_that_cannot_be_read_refuses_nothing() -> None:
    assert parse_mountinfo("nonsense\n\n1 2 3 - \n") == []
    assert database._kind_at(Path("/x"), []) is None


def test_this_machines_own_disk_is_local(tmp_path: Path) -> None:
    assert network_kind(tmp_path) is None
    if sys.platform == "linux":
        assert database._kind_at(tmp_path, database._mounts()) is not None


def test_a_network_file_system_is_refused_unless_somebody_answers_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "network_kind", lambda path: "nfs4")
    with pytest.raises(
        DataError, match=r"on a network file system \(nfs4\), where SQLite loses data; keep"
    ) as caught:
        open_store(tmp_path, "e")
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []
    with pytest.warns(NetworkFiles, match="this was allowed"):
        open_store(tmp_path, "e", network=True).close()
    monkeypatch.setenv(OVERRIDE, "0")
    with pytest.raises(DataError):
        refuse_network(tmp_path)
    monkeypatch.setenv(OVERRIDE, "1")
    with pytest.warns(NetworkFiles):
        refuse_network(tmp_path)

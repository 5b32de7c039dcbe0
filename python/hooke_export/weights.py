"""Published weights that are inside files of a package index, for machines that reach nothing else."""

from __future__ import annotations

import hashlib
import os
import re
import tarfile
import urllib.request
import zipfile
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urljoin

from .environments import cache_folder


@dataclass(frozen=True)
class Weights:
    """A member of a wheel or source archive."""

    project: str
    archive: str
    #: SHA-256 of the archive.
    sha256: str
    member: str
    license: str


_JANUS = ("janus-core", "janus_core-0.8.2.tar.gz", "7e6bd7e5c1fd0e03936f0fb19821375d9a36651b0a07c84ab372cd3beda4634d")
_JANUS_MODELS = "janus_core-0.8.2/tests/models"
_MATTERSIM = (
    "mattersim",
    "mattersim-1.0.0rc8-cp39-cp39-manylinux_2_17_x86_64.manylinux2014_x86_64.whl",
    "b3efabcf8b8c7dca62af68e8803077cbec420db44161a7fff463a2382c5c4df6",
)

#: Names of published weights.
WEIGHTS = {
    "mace-mp-small": Weights(*_JANUS, f"{_JANUS_MODELS}/mace_mp_small.model", "MIT"),
    "mace-off23-small": Weights(
        *_JANUS, f"{_JANUS_MODELS}/MACE-OFF23_small.model", "Academic Software License (not for commercial use)"
    ),
    "orb-d3-xs-v2": Weights(*_JANUS, f"{_JANUS_MODELS}/orb-d3-xs-v2-20241011.ckpt", "Apache-2.0"),
    "m3gnet-mp-2021": Weights(*_JANUS, f"{_JANUS_MODELS}/M3GNet-MP-2021.2.8-DIRECT-PES", "BSD-3-Clause"),
    "mattersim-v1-1m": Weights(*_MATTERSIM, "mattersim/pretrained_models/mattersim-v1.0.0-1M.pth", "MIT"),
    "mattersim-v1-5m": Weights(*_MATTERSIM, "mattersim/pretrained_models/mattersim-v1.0.0-5M.pth", "MIT"),
}


def weights_file(name: str, family: str) -> tuple[Path, str, str]:
    """Returns the path, the license and the source of weights by name; the first call downloads them.

    A name that is not in the table is taken for the path of a file.
    """
    if name not in WEIGHTS:
        path = Path(name)
        if not path.exists():
            names = [published for published in WEIGHTS if published.startswith(family)]
            raise FileNotFoundError(f"it is neither a file nor one of {', '.join(names)}")
        return path, "as the authors of the weights say", path.name
    weights = WEIGHTS[name]
    target = cache_folder() / "weights" / Path(weights.member).name
    if not target.exists():
        _extract(_download(weights), weights.member, target)
    return target, weights.license, f"{weights.archive}: {weights.member}"


def _download(weights: Weights) -> Path:
    """Returns the archive, after comparing its checksum."""
    target = cache_folder() / "weights" / weights.archive
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        index = os.environ.get("PIP_INDEX_URL", "https://pypi.org/simple").rstrip("/")
        page = f"{index}/{weights.project}/"
        links = re.findall(r'href="([^"#]+)', urllib.request.urlopen(page).read().decode())
        link = next((link for link in links if link.endswith("/" + weights.archive)), None)
        if link is None:
            raise FileNotFoundError(f"{page} does not list {weights.archive}")
        part = target.with_suffix(".part")
        part.write_bytes(urllib.request.urlopen(urljoin(page, link)).read())
        part.rename(target)
    found = hashlib.sha256(target.read_bytes()).hexdigest()
    if found != weights.sha256:
        raise ValueError(f"{target} has the SHA-256 {found}; expected {weights.sha256}")
    return target


def _extract(archive: Path, member: str, target: Path) -> None:
    """Writes a member, or all files of a folder, to `target`."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as files:
            target.write_bytes(files.read(member))
        return
    with tarfile.open(archive) as files:
        for item in files.getmembers():
            if item.isfile() and (item.name == member or item.name.startswith(member + "/")):
                path = Path(str(target) + item.name[len(member) :])
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(files.extractfile(item).read())  # type: ignore[union-attr]

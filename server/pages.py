"""The files of the web page, read once and made ready to be sent: no request ever reaches the disk."""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

_CONTENT_TYPES: Final = {".js": "text/javascript; charset=utf-8"}
_VERSION_CHARS: Final = 12
_VERSIONED: Final = re.compile(rf"/[0-9a-f]{{{_VERSION_CHARS}}}(/.+)")
_FILE_OF_PAGE: Final = re.compile(rb'\b(href|src)="([\w/-]+\.\w+)"')


@dataclass(frozen=True, slots=True)
class Page:
    """One file: its bytes and its type; ``packed`` are its bytes by gzip, where that is less.

    One that ``lasts`` is never another at the same path, so that browsers keep it and need not ask again.
    """

    body: bytes
    content_type: str
    packed: bytes | None = None
    lasts: bool = False


Pages: TypeAlias = Mapping[str, Page]
"""Files by path, such as ``/style.css``."""


def load_pages(folder: Path) -> Pages:
    """Return the files of *folder* by path. ``/`` is index.html.

    Each is there twice: as it is, and for good in a folder named by what all of them say. To that one index.html
    points, so that a page's modules are of one version, and a second visit asks for index.html alone. Modules in a
    folder of their own are for those who want them: the others are asked for at once.
    """
    files = {
        file.relative_to(folder).as_posix(): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file() and not file.name.startswith((".", "_"))
    }
    digest = hashlib.sha256()
    for name, body in files.items():
        digest.update(f"{name} {len(body)} ".encode() + body)
    version = digest.hexdigest()[:_VERSION_CHARS]
    if "index.html" in files:
        modules = [name for name in files if name.endswith(".js") and "/" not in name]
        files["index.html"] = _pointing(files["index.html"], version, modules)
    pages = {f"/{name}": _page(name, body) for name, body in files.items()}
    pages |= {f"/{version}/{name}": _page(name, body, lasts=True) for name, body in files.items()}
    if "/index.html" in pages:
        pages["/"] = pages["/index.html"]
    return pages


def page_at(pages: Pages, path: str) -> Page | None:
    """Return the file at *path*, None where there is none. One of another version is given as it is in this one.

    For while a cluster's nodes are exchanged, the page may come from a node that is of another version.
    """
    versioned = _VERSIONED.fullmatch(path)
    return pages.get(path) or (pages.get(versioned[1]) if versioned else None)


def _page(name: str, body: bytes, *, lasts: bool = False) -> Page:
    guessed = _CONTENT_TYPES.get(Path(name).suffix) or mimetypes.guess_type(name)[0] or "application/octet-stream"
    content_type = f"{guessed}; charset=utf-8" if guessed in {"text/html", "text/css"} else guessed
    packed = gzip.compress(body, mtime=0)
    return Page(body, content_type, packed if len(packed) < len(body) else None, lasts)


def _pointing(index: bytes, version: str, modules: Iterable[str]) -> bytes:
    """Return *index* with its files in the folder *version*, and *modules* asked for at once, not one by another."""
    ahead = "".join(f'<link rel="modulepreload" href="{name}">\n' for name in modules)
    whole = index.replace(b"</head>", ahead.encode() + b"</head>", 1)
    return _FILE_OF_PAGE.sub(rb'\1="%b/\2"' % version.encode(), whole)

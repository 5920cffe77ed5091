"""The folder of a model: found by its path or in the hub's cache, looked into without loading anything.

A sentence-transformers folder says what it is in config_sentence_transformers.json, modules.json and config.json. One
of another kind would load without a word (random weights in the missing part) and give numbers that mean nothing.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ragdash.core.errors import InputError, Problem
from ragdash.core.paths import real_path, split_name
from ragdash.models.local.protocols import ENCODER, NLI, SCORER

VARIABLES = {ENCODER: "RAGDASH_SBERT_MODEL", SCORER: "RAGDASH_CROSS_ENCODER", NLI: "RAGDASH_NLI_MODEL"}
OPTIONS = {ENCODER: "--model", SCORER: "--cross-encoder", NLI: "--nli"}
WANTED = {ENCODER: "a sentence embedding model (a folder with modules.json)",
          SCORER: "a cross-encoder (a folder with a classifier of one label)",
          NLI: "an NLI model (a folder with a classifier, one label of which is entailment)"}
_KINDS = {"SentenceTransformer": ENCODER, "CrossEncoder": SCORER}
_WEIGHTS = ("*.safetensors", "*.bin", "*.pt")
_VOCABULARY = ("tokenizer.json", "vocab.*", "*.model", "whitespacetokenizer_config.json")
_NOT_READ = re.compile(r"(^|/)(\.|README|onnx/|openvino/)|\.(md|h5|msgpack|ot|onnx|png|jpg)$")
_HUB_NAME = re.compile(r"[\w.\-]+(/[\w.\-]+)?")
_NO_NAME = re.compile(r"model|models|snapshot|checkpoint|[0-9a-f]{40}")


@dataclass(frozen=True)
class Folder:
    """A model on this machine that is of the right kind. name: as people call it; bytes: of its weights."""

    kind: str
    name: str
    path: Path
    bytes: int

    def weights(self) -> str:
        """A hash of every file that the numbers depend on: weights, tokenizer, pooling, configuration."""
        whole = hashlib.blake2b(digest_size=16)
        for path in sorted(self.path.rglob("*")):
            name = path.relative_to(self.path).as_posix()
            if path.is_file() and not _NOT_READ.search(name):
                with path.open("rb") as file:
                    whole.update(f"{name}\0{hashlib.file_digest(file, 'blake2b').hexdigest()}\n".encode())
        return whole.hexdigest()


def find_model_folder(kind: str, model: str | None = None) -> Folder:
    """The folder of a model: a path, NAME=path, or a name on the hub that this machine has in its cache.

    model None: the environment's RAGDASH_SBERT_MODEL or RAGDASH_CROSS_ENCODER. Nothing is fetched. Raises InputError
    where there is none, where it cannot be read, or where it is a model of another kind.
    """
    model = model or os.environ.get(VARIABLES[kind])
    if not model:
        raise _problem(kind, "no-model", {"type": kind, "wanted": WANTED[kind], "option": OPTIONS[kind],
                       "variable": VARIABLES[kind]})
    name, path_or_name = split_name(model)
    path = Path(path_or_name).expanduser()
    if path.is_dir():
        return _folder(kind, name or _folder_label(path), real_path(path))
    if path.exists():
        raise _problem(kind, "no-model/file", {"wanted": WANTED[kind]}, path_or_name)
    cached = _in_hub_cache(path_or_name) if _HUB_NAME.fullmatch(path_or_name) else None
    if cached is None:
        raise _problem(kind, "no-model/folder", {"path": path_or_name, "wanted": WANTED[kind]}, path_or_name)
    return _folder(kind, name or path_or_name, cached)


def _folder_label(path: Path) -> str:
    """The folder's name, with the one above where it says nothing."""
    path = real_path(path)
    return f"{path.parent.name}/{path.name}" if _NO_NAME.fullmatch(path.name) else path.name


def hub_cache() -> Path:
    """Where huggingface_hub keeps what it has fetched."""
    if os.environ.get("HF_HUB_CACHE"):
        return Path(os.environ["HF_HUB_CACHE"]).expanduser()
    home = os.environ.get("HF_HOME") or Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache", "huggingface")
    return Path(home).expanduser() / "hub"


def _in_hub_cache(name: str) -> Path | None:
    """The folder of a model that was fetched before; a name without owner is one of sentence-transformers."""
    for full in (name, f"sentence-transformers/{name}"):
        folder = hub_cache() / f"models--{full.replace('/', '--')}"
        try:
            path = folder / "snapshots" / (folder / "refs" / "main").read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError):
            continue
        if path.is_dir():
            return path
    return None


def _folder(kind: str, name: str, path: Path) -> Folder:
    """The folder after a look into it; InputError where it is no model or one of another kind."""
    files = [file for pattern in _WEIGHTS for file in path.rglob(pattern)]
    config, modules, configs = (_json(kind, path / file, shape) for file, shape in (
        ("config.json", dict), ("modules.json", list), ("config_sentence_transformers.json", dict)))
    if config is None and modules is None:
        raise unreadable(kind, path, "a folder without config.json and modules.json")
    if not files:
        raise unreadable(kind, path, "a folder without weights")
    if not any(any(path.rglob(name)) for name in _VOCABULARY):  # would load, and take every text for another
        raise unreadable(kind, path, "a folder without a tokenizer")
    what, is_kind = _detect_kind(config or {}, modules or [], configs or {})
    if is_kind != kind:
        raise _problem(kind, "model-of-another-kind", {"type": what, "wanted": WANTED[kind], "option": OPTIONS[kind]},
                       str(path))
    return Folder(kind, name, path, sum(file.stat().st_size for file in files))


def _detect_kind(config: dict, modules: list, configs: dict) -> tuple[str, str | None]:
    """(what a folder holds, in words; its kind, None for one that serves nothing here)."""
    shapes = config.get("architectures")
    shapes = list(map(str, shapes)) if isinstance(shapes, list) else []
    classifies = any(shape.endswith("ForSequenceClassification") for shape in shapes)
    types = " ".join(str(module.get("type")) for module in modules if isinstance(module, dict))
    if "sparse" in types.lower() or configs.get("model_type") == "SparseEncoder":
        return "a sparse encoder", None
    kind = _KINDS.get(str(configs.get("model_type"))) or (ENCODER if types else SCORER if classifies else None)
    names = config.get("id2label")
    labels = len(names) if isinstance(names, dict) and names else config.get("num_labels", 2)
    if kind == SCORER and classifies and labels != 1:
        return f"a classifier of {labels} labels", None if entailment(names) is None else NLI
    return {ENCODER: "a sentence embedding model", SCORER: "a cross-encoder"}.get(
        kind, f"a model {' '.join(shapes) or config.get('model_type') or 'of no known kind'}"), kind


def entailment(names: object) -> int | None:
    """Which of a model's labels (id2label) means entailment; None where none, or more than one, bears such a name."""
    named = names.items() if isinstance(names, dict) else ()
    labels = [key for key, name in named if str(name).strip().casefold().startswith("entail")]
    return int(labels[0]) if len(labels) == 1 and re.fullmatch("[0-9]{1,9}", str(labels[0])) else None


def _json(kind: str, path: Path, shape: type) -> dict | list | None:
    """What a file of the folder says; None where there is no such file, InputError where it is not of this shape."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError) as error:
        raise unreadable(kind, path.parent, f"{path.name} that cannot be read ({error})") from None
    if not isinstance(content, shape):
        raise unreadable(kind, path.parent, f"{path.name} that cannot be read (no {shape.__name__})")
    return content


def unreadable(kind: str, path: Path, what: str) -> InputError:
    """The problem of a folder that no model can be made of."""
    return _problem(kind, "unreadable-model", {"reason": what, "wanted": WANTED[kind]}, str(path))


def _problem(kind: str, message: str, facts: Mapping, file: str | None = None) -> InputError:
    return InputError([Problem(message, facts, file, None, OPTIONS[kind])])

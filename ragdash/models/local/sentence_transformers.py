"""Local models through sentence-transformers. The library is imported when a model is made, nowhere else.

Models are read from their folder alone: nothing is fetched, none of their code is run. `fetched` alone goes to the hub.
"""

from __future__ import annotations

import logging
import os
import pickle
import re
import warnings
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ragdash.core.errors import InputError, Problem, lacks_memory
from ragdash.core.text.quoted import error_words
from ragdash.models.local.installed import library
from ragdash.models.local.missing_weights import missing_weights, missing_words
from ragdash.models.local.model_folder import Folder, entailment, find_model_folder, unreadable
from ragdash.models.local.protocols import ENCODER, NLI, Encoder, Pair, PairScorer

BATCH = 32  # texts that a model reads at once; which ones are read together moves the last digits of their values
_OTHER_BACKENDS = ["onnx/*", "openvino/*", "*.onnx", "*.h5", "*.msgpack", "*.ot"]
_WHOLE = 1 << 20  # word pieces; what claims to read more reads all
_AT_A_TEXT = (ValueError, LookupError, TypeError, AttributeError, RuntimeError)  # errors of a model that does not fit


def environment(given: Mapping[str, str] | None = None) -> dict[str, str]:
    """What the process of a model needs in its environment before torch is imported; what is set already stays.

    Threads that wait do not burn the processor (on two busy cores the defaults fall to a fifth of the speed); as many
    threads as cores, at most RAGDASH_THREADS.
    """
    given = os.environ if given is None else given
    threads = str(thread_count(given))
    wanted = {"OMP_WAIT_POLICY": "PASSIVE", "GOMP_SPINCOUNT": "0", "OMP_NUM_THREADS": threads,
              "MKL_NUM_THREADS": threads, "TOKENIZERS_PARALLELISM": "false", "HF_HUB_DISABLE_TELEMETRY": "1",
              "HF_HUB_DISABLE_PROGRESS_BARS": "1", "TRANSFORMERS_VERBOSITY": "error"}
    return {name: value for name, value in wanted.items() if name not in given}


def thread_count(given: Mapping[str, str] | None = None) -> int:
    """Threads of a model on this machine: as many as cores, at most RAGDASH_THREADS."""
    given = os.environ if given is None else given
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    asked = given.get("RAGDASH_THREADS") or str(cores)
    if not re.fullmatch("[0-9]{1,9}", asked) or int(asked) < 1:
        raise InputError([Problem("bad-threads", {"value": asked}, field="RAGDASH_THREADS")])
    return min(cores, int(asked))


def load(folder: Folder, device: str | None = None, threads: int | None = None) -> Encoder | PairScorer:
    """The model of a folder, of its kind. device: "cpu", "cuda", "mps"; None: the fastest there is. threads: None:
    those of the environment.

    Raises InputError where the library is missing or the folder cannot be made a model of.
    """
    installed = library()
    if not installed.ok:
        raise InputError([installed.problem])
    os.environ.update(environment())
    made = {ENCODER: SentenceEncoder, NLI: EntailmentScorer}.get(folder.kind, CrossEncoderScorer)
    return made(folder, device, threads)


def fetched(kind: str, name: str) -> Folder:
    """The folder of a model on the hub, fetched where it is not here yet. Only where the user asked for it."""
    installed = library()
    if not installed.ok:
        raise InputError([installed.problem])
    from huggingface_hub import snapshot_download

    problems = []
    for full in (name,) if "/" in name else (f"sentence-transformers/{name}", name):
        try:
            snapshot_download(full, ignore_patterns=_OTHER_BACKENDS)
            return find_model_folder(kind, name)
        except (OSError, ValueError) as error:
            if isinstance(error, InputError):
                raise
            problems.append(Problem("no-model/hub", {"name": full, "reason": _first_line(error)}, field="--hub"))
    raise InputError(problems)


class SentenceEncoder:
    """An Encoder: the model of a sentence-transformers folder, in full precision."""

    def __init__(self, folder: Folder, device: str | None = None, threads: int | None = None):
        from sentence_transformers import SentenceTransformer

        self._folder, self.weights = folder, folder.weights()
        self._model = _load(SentenceTransformer, folder, device, threads)
        self.max_length = _length(getattr(self._model, "max_seq_length", None))

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """(N, V) float32."""
        return _in_batches(self._folder, texts, lambda batch: self._model.encode(
            batch, batch_size=BATCH, show_progress_bar=False))

    def cut(self, texts: Sequence[str]) -> np.ndarray:
        """Texts of more word pieces than max_length, its two marks counted: (N,) bool."""
        return _longer(self._folder, self._model, self.max_length, list(texts))


class CrossEncoderScorer:
    """A PairScorer: the cross-encoder of a folder, its raw score through a sigmoid whatever the folder says."""

    activation = "sigmoid"

    def __init__(self, folder: Folder, device: str | None = None, threads: int | None = None):
        from sentence_transformers import CrossEncoder

        self._folder, self.weights = folder, folder.weights()
        self._model = _load(CrossEncoder, folder, device, threads)
        labels = self._model.num_labels
        if labels != 1:
            raise unreadable(folder.kind, folder.path, f"a classifier of {labels} labels")
        length = self._model.max_seq_length if hasattr(self._model, "max_seq_length") else self._model.max_length
        self.max_length = _length(length)

    def score(self, pairs: Sequence[Pair]) -> np.ndarray:
        """(N,) float64 in [0, 1]."""
        from torch.nn import Sigmoid

        return _in_batches(self._folder, pairs, lambda batch: np.asarray(self._model.predict(
            batch, batch_size=BATCH, show_progress_bar=False, activation_fn=Sigmoid()), np.float64))

    def cut(self, pairs: Sequence[Pair]) -> np.ndarray:
        """Pairs of more word pieces than max_length, their three marks counted: (N,) bool."""
        return _longer(self._folder, self._model, self.max_length, [a for a, _ in pairs], [b for _, b in pairs])


class EntailmentScorer:
    """A PairScorer: the probability that the first text entails the second, by the model's own names of its labels."""

    activation = "softmax"

    def __init__(self, folder: Folder, device: str | None = None, threads: int | None = None):
        from sentence_transformers import CrossEncoder

        self._folder, self.weights = folder, folder.weights()
        self._model = _load(CrossEncoder, folder, device, threads)
        names = self._model.config.id2label
        label = entailment(names)
        if label is None:
            raise unreadable(folder.kind, folder.path, f"a classifier of {', '.join(map(str, names.values()))}")
        self._label = label
        length = self._model.max_seq_length if hasattr(self._model, "max_seq_length") else self._model.max_length
        self.max_length = _length(length)

    def score(self, pairs: Sequence[Pair]) -> np.ndarray:
        """(N,) float64 in [0, 1]."""
        from torch.nn import Softmax

        predicted = _in_batches(self._folder, pairs, lambda batch: np.asarray(self._model.predict(
            batch, batch_size=BATCH, show_progress_bar=False, activation_fn=Softmax(-1)), np.float64))
        return predicted[:, self._label]

    def cut(self, pairs: Sequence[Pair]) -> np.ndarray:
        """As CrossEncoderScorer."""
        return _longer(self._folder, self._model, self.max_length, [a for a, _ in pairs], [b for _, b in pairs])


def _in_batches(folder: Folder, items: Sequence, ask: Callable[[list], np.ndarray]) -> np.ndarray:
    """What a model says of each text or pair, asked for BATCH at a time, longest first; of equal length as they come.

    The library sorts by itself, but not stably: which texts are read together would depend on how many there are.
    Raises InputError where the model fails, as one does whose vocabulary is larger than its config says.
    """
    lengths = [len(item) if isinstance(item, str) else sum(map(len, item)) for item in items]
    order = np.argsort(-np.array(lengths, np.int64), kind="stable")
    with _Reading(folder):
        asked = [ask([items[i] for i in order[start:start + BATCH]]) for start in range(0, max(len(order), 1), BATCH)]
    values = np.concatenate(asked)
    restored = np.empty_like(values)
    restored[order] = values
    return restored


class _Reading:
    """InputError where the model fails at a text. The library of the word pieces raises Exception itself."""

    def __init__(self, folder: Folder):
        self._folder = folder

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        if isinstance(error, Exception) and (kind is Exception or isinstance(error, _AT_A_TEXT)) and (
                not lacks_memory(error)):
            raise unreadable(self._folder.kind, self._folder.path,
                             f"a folder that reads no text: {_first_line(error)}") from error


def _load(kind: type, folder: Folder, device: str | None, threads: int | None):
    """The library's object of a folder, without what it would print; InputError where it cannot be made."""
    import torch
    from huggingface_hub import errors
    from safetensors import SafetensorError
    from transformers.utils import logging as talk

    talk.disable_progress_bar()
    torch.set_num_threads(threads or thread_count())
    logging.getLogger("sentence_transformers").setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings(), missing_weights() as missing:
            warnings.simplefilter("ignore")
            model = kind(str(folder.path), device=device, local_files_only=True, trust_remote_code=False)
    except (OSError, ValueError, LookupError, TypeError, AttributeError, ImportError, RuntimeError, EOFError,
            pickle.PickleError, SafetensorError, getattr(errors, "StrictDataclassError", OSError)) as error:
        raise unreadable(folder.kind, folder.path, f"a folder that does not load: {_first_line(error)}") from error
    if words := missing_words(missing, pools=folder.kind != ENCODER):
        raise unreadable(folder.kind, folder.path, words)
    return model


def _first_line(error: BaseException) -> str:
    return error_words(error).splitlines()[0][:200]


def _length(length: float | None) -> int:
    return 0 if length is None or not 0 < length < _WHOLE else int(length)


def _longer(folder: Folder, model, length: int, *texts: list[str]) -> np.ndarray:
    """Whether the word pieces of each text (or pair) are more than length: (N,) bool."""
    if not length or not texts[0]:
        return np.zeros(len(texts[0]), bool)
    with _Reading(folder):
        pieces = model.tokenizer(*texts, truncation=False, padding=False, verbose=False)["input_ids"]
    return np.array([len(piece) > length for piece in pieces], bool)

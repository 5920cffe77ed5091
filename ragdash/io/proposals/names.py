"""What the names of fields say: words in them, as people and tools use them, and what kind of meaning each word has."""

from __future__ import annotations

import re
from functools import lru_cache

from ragdash.io.proposals.shapes.languages import english_words, in_english

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_NDCG = re.compile(r"(?<![A-Za-z])nDCG")  # one word
_YES_NO = re.compile(r"[(\[]\s*y(?:es)?\s*/\s*n(?:o)?\s*[)\]]", re.IGNORECASE)
_SHOULD = re.compile(r"should[ _](?:have[ _])?(?:been|be)(?=\W*$)", re.IGNORECASE)
_RELEVANCE_IDS = re.compile(r"relevance(?=[ _-]?(?:doc|chunk|passage)?[ _-]?ids?$)", re.IGNORECASE)  # of relevant ones
_BENCHMARK = re.compile(r"benchmark[ _-]?answer", re.IGNORECASE)  # what a data set says, not a system
_LONGEST_NOTE = 24  # characters in brackets behind a name; longer ones explain what is in the column
_PLURALS = {"ids": "id", "queries": "query", "ms": "ms", "context": "context", "indices": "index", "responses":
            "response", "references": "reference", "sources": "source", "passages": "passage", "pages": "page",
            "files": "file", "filenames": "filename", "nodes": "node", "urls": "url", "docs": "doc", "titles": "title",
            "scores": "score", "grades": "grade", "qrels": "qrels", "has": "has", "is": "is", "gts": "gt",
            "evidences": "evidence", "resp": "response", "resps": "response",
            "sentences": "sentence", "cont": "content", "conts": "content", "aliases": "alias",
            "quotes": "quote", "codes": "code", "entities": "entity", "expect": "expected", "names": "name",
            "prefixes": "prefix", "suffixes": "suffix"}

GOLD = {"expected", "right", "relevant", "gold", "golden", "gt", "correct", "target", "true", "truth", "reference",
        "ideal", "oracle", "positive", "pos", "groundtruth", "ground", "gtruth", "supporting", "required",
        "must", "attendue", "erwartete", "richtige", "korrekte", "esperada", "esperado", "correcta", "attesa",
        "label", "labelled", "annotated", "judged", "qrels", "qrel", "partial", "full", "necessary", "cited"}
RETURNED = {"retrieved", "retrieval", "retrieve", "returned", "predicted", "prediction", "pred", "generated",
            "generation", "gen", "actual", "llm", "model", "response", "output", "result", "hit", "top", "ranked",
            "candidate", "search", "retriever", "found", "ranking", "topk", "system", "agent", "bot", "rag", "reranked",
            "rerank", "reranking", "run", "got", "fetched", "ai", "chatbot", "chatgpt"}
ACCEPTED = {"possible", "acceptable", "accepted", "valid", "official", "perfect", "short", "long", "exact",
            "canonical", "verified"}  # next to answer: right ones
GATHERED = {"alias", "cleaned", "raw", "original", "normalized", "human", "clustered"}  # of answers that people gave
GENERIC = {"text", "content", "value", "data", "string", "body", "raw", "plain"}  # as its object
WEAK_GOLD = {"reference", "relevant", "cited", "supporting", "source"}  # also said of what a retriever returned
RELATED = {"related", "similar", "matched", "matching", "nearest", "neighbor", "recommended"}  # lists of what was found
RETRIEVING = {"retrieved", "returned", "search", "hit", "found", "retriever"}
QUESTION = {"query", "question", "prompt", "input", "q", "utterance", "frage", "pregunta", "pergunta", "domanda",
            "request", "instruction", "问题", "質問", "問題"}
ANSWER = {"answer", "response", "output", "completion", "prediction", "generation", "reply", "ans", "antwort",
          "respuesta", "resposta", "réponse", "reponse", "risposta", "答案", "回答"}
ACTUAL_ANSWER = ("actual", "answer")  # of a system, or the right one: the other fields decide
OUTPUT_PROMPT = ("output", "prompt")  # next to user_prompt: an answer, of either
ID = {"id", "docid", "qid", "uid", "uuid", "docno", "pid", "did", "cid", "nid", "key", "idx", "index", "identifier",
      "no", "number", "num", "chunkid", "pmid", "slug", "rid"}
DOCUMENT = {"doc", "document", "chunk", "passage", "path", "file", "filepath", "filename", "url", "uri", "source",
            "src", "node", "docid", "docno", "pid", "did", "slug", "page", "paragraph", "article", "link",
            "citation", "pmid", "corpus", "section", "chunkid", "item", "note", "record", "snippet",
            "quelle", "fuente", "product", "paper"}
CODES = ID | DOCUMENT | {"code"}  # in names of what is right
KINDS_OF_SOURCES = {"pdf", "docx", "html", "web", "wiki", "confluence", "sql", "faq", "table", "text", "image", "api",
                    "database", "none", "csv", "tsv", "json", "xml", "xlsx", "excel", "txt", "md", "markdown", "pptx",
                    "email"}  # values that name no document
TEXT = {"text", "content", "passage", "context", "chunk", "snippet", "body", "quote", "span", "excerpt", "evidence",
        "paragraph", "sentence", "segment", "page_content", "document", "fragment"}
SPANS = {"evidence", "quote", "span", "excerpt", "context", "fragment", "sentence", "support", "fact"}
CRITERIA = {"criteria", "criterion", "criterium", "rubric", "should"}  # what an answer is judged by
METRICS = {"recall", "precision", "mrr", "ndcg", "hit", "map", "f1", "faithfulness", "faithful", "relevancy",
           "relevance", "similarity", "score", "correctness", "accuracy", "groundedness", "grounded", "bleu", "rouge",
           "sas", "em", "match", "hitrate", "rr", "ap", "dcg", "err", "success", "coverage", "utilization",
           "completeness", "hallucination", "coherence", "fluency", "bertscore", "meteor", "rating", "rate", "correct",
           "quality", "helpfulness", "conciseness", "toxicity", "adherence", "noise", "sensitivity", "entity",
           "reciprocal", "recip", "passed", "pass", "perplexity", "overlap", "f", "auc", "exact", "contextual",
           "judgment", "verdict", "judgement", "grade", "evaluation", "rouge1", "rougel", "bleu4", "chrf", "win",
           "preference", "acceptable", "exec"}
SURE_METRICS = METRICS - {"correct", "entity", "contextual", "f", "rate", "exact", "grade", "evaluation", "judgment",
                          "judgement", "rating", "err", "map", "noise", "match", "support", "success", "relevance"}
GRADES = {"grade", "relevance", "rel", "rating", "gain", "judgment", "judgement", "label", "relevancy", "usefulness"}
SCORES = {"score", "similarity", "sim", "distance", "relevance", "logit", "weight", "probability", "prob", "cosine"}
FUSED = {"rrf", "fused", "fusion", "combined", "final"}  # scores that are made of other scores
RANKS = {"rank", "position", "pos", "order", "index", "place"}
CONFIGS = {"config", "configuration", "strategy", "method", "system", "arm", "retriever", "model", "run", "pipeline",
           "engine", "variant", "approach", "mode", "experiment", "technique", "embedder", "reranker", "provider",
           "algorithm", "setup", "setting", "retrieval", "search", "index", "weight", "alpha", "k", "topk", "version",
           "rep", "repetition", "trial", "seed", "iteration", "attempt", "epoch", "llm", "bot", "agent", "framework",
           "chunk", "overlap", "size", "temperature", "threshold", "producer", "condition"}
RATERS = {"annotator", "rater", "judge", "assessor", "reviewer", "evaluator"}  # of the same answers
REPEATS = {"rep", "repetition", "trial", "seed", "iteration", "attempt", "epoch"}  # of CONFIGS
LATENCIES = {"latency", "elapsed", "duration", "runtime", "time", "took", "timing", "wall"}
SECONDS, MILLISECONDS = {"s", "sec", "secs", "second"}, {"ms", "msec", "millisecond", "millis"}
COUNTING = {"num", "number", "n", "total", "count", "no"}  # in front of a noun: how many there are
NOTES = {"reason", "reasoning", "explanation", "comment", "note", "rationale", "feedback", "description", "error",
         "why", "notes", "prompt_template", "instruction", "justification", "created", "date", "timestamp",
         "critique", "trace", "log", "title", "type", "category", "difficulty", "capability", "topic", "tag",
         "language", "lang", "domain", "status", "background", "narrative", "narr", "guideline"}
NO_ANSWER = {"type", "contain", "keyword", "length", "time", "token", "reason", "id", "latency", "prompt", "start",
             "len", "char", "end", "format", "key", "count", "model", "relevance", "relevancy", "similarity", "score",
             "rating", "in", "words", "alias", "var", "variable", "fact", "point", "term", "rule", "path", "file",
             "pattern", "structure", "schema", "filename", "directory", "planner", "router", "rewriter", "thought",
             "scratchpad"}
AGAINST = {"negative", "neg", "distractor", "distracting", "irrelevant", "forbidden", "wrong", "incorrect", "hard",
            "excluded", "exclude"}
WRONG = AGAINST | {"hallucinated", "hallu", "corrupted", "perturbed", "bad", "rejected", "fake", "competitor", "rival",
                    "opponent", "sabotaged", "poisoned", "tampered"}  # answers that are not right, on purpose
LACKING = {"missing", "missed", "miss", "uncovered", "lacking", "unmatched", "problematic", "unsupported", "flagged"}
CHOICES = {"choice", "option"}
AVERAGES = {"mean", "amean", "gmean", "average", "avg", "all", "total", "overall", "median", "macro", "micro",
            "std", "stdev", "sum", "summary", "min", "max", "mittelwert", "promedio", "moyenne"}
_OF_QUESTIONS = {"param", "parameter", "metadata", "meta"}  # objects of how a question was made
_NUMBERS = (("index",), ("idx",), ("number",), ("num",), ("no",))
_FIRST_OF_AVERAGE = {"overall", "average", "mean", "avg", "total"}
_AROUND = {"final", "score", "scores", "row", "grand", "value", "values", "dev"}
ROLE_WORDS = GOLD | RETURNED | QUESTION | ANSWER | ID | DOCUMENT | TEXT | METRICS | LATENCIES | NOTES | {
    "list", "ranked", "final", "at", "user", "human", "judge", "with", "and", "of", "the", "in", "per", "exact", "raw",
    "full", "ms", "sec", "seconds", "s", "tokens", "token", "cost", "total", "prompt", "completion", "first", "last"}


def names_average(text: str) -> bool:
    """True for the name of a row of means: mean, FINAL (mean), Average score, __summary__."""
    parts = re.split(r"[\W_]+", text.lower().strip("()[]<>:_*- "))
    known = _AROUND | (METRICS if parts[0] in _FIRST_OF_AVERAGE else set())  # Overall Accuracy
    return len(text) < 40 and not AVERAGES.isdisjoint(parts) and AVERAGES.issuperset(set(parts) - known)


@lru_cache(1 << 14)
def words(name: str) -> tuple[str, ...]:
    """The words of a name in the singular: "retrievedDocIds" -> ("retrieved", "doc", "id")."""
    name = _RELEVANCE_IDS.sub("relevant", without_note(name))
    name = _NDCG.sub("ndcg", name)
    name = _BENCHMARK.sub("reference answer", _SHOULD.sub("expected answer", _YES_NO.sub("", in_english(name))))
    parts = re.split(r"[\W_]+", _CAMEL.sub(" ", re.sub(r"\[\]", " ", name)))
    return tuple(_singular(word) for part in parts if part for word in english_words(part.lower()))


def last_words(path: str) -> tuple[str, ...]:
    """The words of the last member of a path: "hits[].doc_id" -> ("doc", "id")."""
    path = without_note(path)
    return words(re.split(r"\.(?=[^.]*$)", path)[-1] if "." in path else path)


def numbers_chunk(path: str) -> bool:
    """True for chunk_index and passage_no: the number of a part within a document.

    Examples
    --------
    >>> numbers_chunk("relevant_chunk_index"), numbers_chunk("chunk_id"), numbers_chunk("num_chunks_no")
    (True, False, False)
    """
    names = last_words(path)
    return names[-1:] in _NUMBERS and names[-2:-1] in (("chunk",), ("passage",), ("segment",)) and (
        names[0] not in COUNTING)


def without_note(name: str) -> str:
    """A name without the sentence in brackets behind it: "output (blank, filled by the runner after a call)"."""
    before, mark, note = name.partition(" (")
    explains = mark and name.rstrip().endswith(")") and len(note) > _LONGEST_NOTE and note.count(" ") > 1
    return before if explains else name


def _singular(word: str) -> str:
    if word in _PLURALS:
        return _PLURALS[word]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is", "ness", "sas")):
        return word[:-1]
    return word


def describes_question(path: str) -> bool:
    """True for what is said of a question below metadata, and for what a check of its answer looks for below expect.

    Examples
    --------
    >>> [describes_question(path) for path in ("metadata.author", "expect[].course", "expect.kind", "expect")]
    [True, True, True, False]
    """
    first, mark, _ = path.partition(".")
    return not _OF_QUESTIONS.isdisjoint(words(first)) or (bool(mark) and words(first) == ("expected",))


def counts_something(names: tuple[str, ...]) -> bool:
    """True for NumQueries and total_questions, which count; query_number is an id."""
    return len(names) > 1 and names[0] in COUNTING and not QUESTION.isdisjoint(names[1:])

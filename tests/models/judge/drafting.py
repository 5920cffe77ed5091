"""What the toy judge says when it is asked for drafts of a test set: by a script, from the documents' words."""

from __future__ import annotations

from ragdash.core.text import sentences, stop_words, tokens


def first(text: str) -> str:
    """Its first sentence."""
    start, stop = sentences(text)[0]
    return text[start:stop]


def said_words(text: str) -> list[str]:
    """Its content words, each once, in order."""
    return [word for word in dict.fromkeys(tokens(text, "unicode")) if word not in stop_words("unicode")]


def answered(asked) -> dict:
    """A quote of each document; the question has the first words of the quotes, the answer their last ones."""
    quotes = [first(text) for text in asked.all("document")]
    words = [said_words(quote) for quote in quotes]
    return {"quotes": [{"document": f"d{at}", "quote": quote} for at, quote in enumerate(quotes, 1)],
            "question": f"What is told of {' '.join(word for own in words for word in own[:4])}?",
            "answer": " ".join(word for own in words for word in own[-2:])}


def unanswered(asked) -> dict:
    words = said_words(asked.all("document")[0])
    return {"reason": "it is not there", "question": f"Which color had the {' '.join(words[:3])}?"}


def elsewhere(asked) -> dict:
    return {"reason": "other documents", "question": f"Which tools does {asked.all('field')[0]} need most in Lima?"}


def no_fault(asked) -> dict:
    """A critique of questions with an answer finds them answerable; of those without, not."""
    answerable = "yes" if asked.all("answer") else "no"
    return {"reason": "so it is", "answerable": answerable, "self_contained": "yes", "one_question": "yes",
            "right_answer": answerable}


DRAFTS = {"CritiqueDraft": no_fault, "DraftSingle": answered, "DraftMultiHop": answered, "DraftContradictory": answered,
          "DraftNoAnswer": unanswered, "DraftOutOfScope": elsewhere}

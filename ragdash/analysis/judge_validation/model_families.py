"""Which family of models a name belongs to: a judge is kind to answers of its own family.

Source: Panickssery, Bowman & Feng 2024, LLM evaluators recognize and favor their own generations; Zheng et al. 2023,
section 3.3.
"""

from __future__ import annotations

import re

from ragdash.models.judge.panel import AND

_FAMILIES = {
    "OpenAI": r"gpt-?[345o]|gpt-oss|chatgpt|o[134](-|$)|text-davinci|davinci",
    "Anthropic Claude": r"claude",
    "Google": r"gemini|gemma|palm-?2|text-bison",
    "Meta Llama": r"llama|vicuna|alpaca",
    "Mistral": r"mi[sx]tral|ministral|codestral|magistral|devstral",
    "Qwen": r"qwen|qwq",
    "DeepSeek": r"deepseek",
    "Cohere": r"command(-|$)|c4ai|aya",
    "Microsoft Phi": r"phi-?[1-9]",
    "xAI Grok": r"grok",
    "Amazon": r"nova-|titan-text",
    "IBM Granite": r"granite",
    "Zhipu GLM": r"glm",
    "Moonshot Kimi": r"kimi|moonshot",
    "01.AI Yi": r"yi-",
    "Falcon": r"falcon",
}
_PATTERNS = {name: re.compile(rf"(?<![a-z])({pattern})") for name, pattern in _FAMILIES.items()}
_HOSTS = ("ollama",)  # programs that serve models and have a family in their name


def families(model: str) -> frozenset[str]:
    """The families that a model's name contains; several for one distilled into another; empty without any.

    "openai/gpt-4o-mini" -> OpenAI; "DeepSeek-R1-Distill-Qwen-7B" -> DeepSeek and Qwen.

    Examples
    --------
    >>> sorted(families("gpt-4o")), sorted(families("my-own-model"))
    (['OpenAI'], [])
    """
    text = model.lower()
    for host in _HOSTS:
        text = text.replace(host, "")
    return frozenset(name for name, pattern in _PATTERNS.items() if pattern.search(text))


def same_family(judge: str, generator: str) -> frozenset[str]:
    """The families that both names contain; the model itself where both are the same name of no known family.

    judge: "A + B" for several: the families of any.

    Examples
    --------
    >>> sorted(same_family("gpt-4o", "gpt-4o-mini")), sorted(same_family("gpt-4o", "claude-3-haiku"))
    (['OpenAI'], [])
    """
    if AND in judge:
        return frozenset().union(*(same_family(member, generator) for member in judge.split(AND)))
    if judge and judge.strip().lower() == generator.strip().lower():
        return families(judge) or frozenset({judge.strip()})
    return families(judge) & families(generator)

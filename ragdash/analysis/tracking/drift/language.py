"""The language of a short text: by its script, and within the Latin script by frequent small words.

Nothing is learned and no model is loaded. A question without any small word ("refund policy") has no known language.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

UNKNOWN = "unknown"
LANGUAGES = {
    "en": "English", "de": "German", "fr": "French", "es": "Spanish", "it": "Italian", "pt": "Portuguese",
    "nl": "Dutch", "sv": "Swedish", "pl": "Polish", "tr": "Turkish", "zh": "Chinese", "ja": "Japanese",
    "ko": "Korean", "cyrillic": "Cyrillic script", "ar": "Arabic script", "he": "Hebrew", "el": "Greek", "th": "Thai",
    "hi": "Devanagari script", UNKNOWN: "not recognized"}
"""The languages that are recognized, and scripts that several languages share."""
_SCRIPTS = {"HIRAGANA": "ja", "KATAKANA": "ja", "HANGUL": "ko", "CJK": "zh", "CYRILLIC": "cyrillic", "ARABIC": "ar",
            "HEBREW": "he", "GREEK": "el", "THAI": "th", "DEVANAGARI": "hi"}
_SMALL_WORDS = {
    "en": """the is are was were what how which who where when why does do did can could should would of for with my
             your this that there and or i you it to an be have has from by not if between about their at its""",
    "de": """der die das ist sind war wie was wer wo wann warum welche welcher welches kann können muss ich du sie wir
             mein meine ein eine einen einem für mit auf und oder nicht von zum zur im den dem des gibt es wird bei""",
    "fr": """le la les est sont était comment quel quelle quels quelles qui où quand pourquoi que quoi peut je tu vous
             nous mon ma mes votre un une des du pour avec sur et ou pas dans au aux ce cette il elle qu combien""",
    "es": """el la los las es son era cómo como cuál cual qué que quién quien dónde donde cuándo cuando puedo puede
             yo mi mis su un una para con en y o no del al por se hay esta este está cuánto cuántos""",
    "it": """il lo la gli le è sono era come quale quali chi dove quando perché che cosa posso può io mio mia un una
             uno per con su e o non del della dei nel nella al si c'è di quanto quanti""",
    "pt": """o os as é são era como qual quais quem onde quando porque que posso pode eu meu minha seu sua um uma para
             com em e ou não do da dos das no na ao se há por quanto quantos""",
    "nl": """de het is zijn was hoe wat wie waar wanneer waarom welke kan kunnen moet ik je jij u wij mijn een voor met
             op en of niet van naar in er wordt bij hoeveel""",
    "sv": """är var hur vad vem när varför vilken vilket vilka kan ska jag du vi min mitt en ett för med på och eller
             inte av till det den de som finns""",
    "pl": """jest są był jak co kto gdzie kiedy dlaczego jaki jaka jakie czy mogę można ja mój moja dla z na i lub nie
             do w od po się to ile przez""",
    "tr": """bir ve ile için ne nasıl nerede kim neden hangi mi mı mu mü bu şu ben sen var yok değil da de kaç olan
             nedir""",
}
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_BY_WORD: dict[str, tuple[str, ...]] = {}
for _language, _text in _SMALL_WORDS.items():
    for _word in _text.split():
        _BY_WORD[_word] = (*_BY_WORD.get(_word, ()), _language)


def language_of(text: str) -> str:
    """One of LANGUAGES.

    Small words that several languages share count in part for each; equal scores are not decided.

    Examples
    --------
    >>> [language_of(text) for text in ("How do I reset it?", "Wie kann ich es ändern?", "refund policy")]
    ['en', 'de', 'unknown']
    """
    letters = [character for character in text if character.isalpha()]
    scripts = Counter(_script(character) for character in letters if ord(character) > 0x24F)
    other = sum(count for script, count in scripts.items() if script)
    if letters and other * 2 > len(letters):
        if scripts["ja"]:
            return "ja"  # with kana, Chinese characters are Japanese
        return max(scripts, key=lambda script: (bool(script), scripts[script]))
    scores: Counter[str] = Counter()
    for word in _WORD.findall(text.lower().replace("\u2019", "'")):
        shared = _BY_WORD.get(word, ())
        for language in shared:
            scores[language] += 1 / len(shared)
    best = scores.most_common(2)
    if not best or (len(best) == 2 and best[0][1] == best[1][1]):
        return UNKNOWN
    return best[0][0]


def _script(character: str) -> str:
    return _SCRIPTS.get(unicodedata.name(character, "").split(" ")[0].split("-")[0], "")

"""Does an answer decline? Found by phrases, language by language.

A refusal says that the sources lack the answer ("the context does not mention it"), that the writer cannot give it
("I could not find"), or that it cannot be given ("cannot be determined from the text"). The subject decides: "the
document does not mention" declines, "the law does not mention" answers. So does the place, and what comes after "but".
"""

from ragdash.core.text.refusals.detection import is_refusal

__all__ = ["is_refusal"]

"""Does an answer decline? Found by phrases, language by language.

A refusal says that the sources lack the answer ("the context does not mention it"), that the writer cannot give it
("I could not find"), or that it cannot be given ("cannot be determined from the text"). The subject decides: "the
document does not mention" declines, "the law does not mention" answers. So does the place: only the first sentence
that does more than apologize or introduce is read, and quotations are left out.
"""

from __future__ import annotations

import re
from functools import cache

from ragdash.core.text.sentences import sentences

_SOURCE = (r"(?:contexts?(?! (?:window|switch|length|size))|documents?|documentation|passages?|texts?"
           r"|(?:re)?sources?|information|excerpts?|articles?"
           r"|materials?|snippets?|extracts?|search results|results|knowledge base|content|paragraphs?|references?"
           r"|pages?)")
_REPORT = rf"(?:{_SOURCE}|reports?|papers?|filings?|manuals?|handbooks?|sections?|chapters?|transcripts?|files?)"
_NOT = r"(?:does not|doesn't|do not|don't|did not|didn't|never|fails? to|failed to|cannot|can't)"
_UP_TO_3, _UP_TO_5 = r"(?:[\w'-]+ ){0,3}", r"(?:[\w'-]+ ){0,5}"
_TELL = (r"(?:answers?|mentions?|specif(?:y|ies)|states?|says?|tells?(?: us| me)?|address(?:es)?|discuss(?:es)?"
         r"|covers?"
         r"|indicates?|explains?|clarif(?:y|ies)|refers? to|describes?|discloses?|reveals?|talks? about|deals? with"
         r"|lists?|names?|counts?|identif(?:y|ies)|cites?|provide|contain|include|give|offer|have|support"
         r"|allow (?:me|us) to"
         r"|(?:appear|seem) to)")
_ACT = (r"(?:answer|find|determine|provide|tell|give|say|locate|help|assist|confirm|verify|identify|comply|conclude"
        r"|respond|see|infer|specify|address|offer|know|be (?:sure|certain|able to))")
_CONTENT = (r"(?:information|info|answer|mention|details?|indication|reference|evidence|data|context|statement"
            r"|knowledge)")
_BE = r"(?:is|are|was|were|has been|have been|remains?|isn't|aren't|wasn't|weren't)"
_GIVEN = (r"(?:provided|mentioned|specified|stated|available|given|found|included|disclosed|addressed|covered|listed"
          r"|discussed|described|contained|indicated|present|answered|explained|reported|named|identified|explicit)")
_THIS = (r"(?:this|that|it|the (?:answer|question|information|requested information)|your question"
         r"|such (?:\w+ )?information)")

ENGLISH = (
    # The sources lack it.
    rf"\b{_SOURCE} {_UP_TO_5}{_NOT} (?!just|only|merely|simply)(?:\w+ ){{0,2}}{_TELL}\b",
    rf"\b{_REPORT} {_UP_TO_3}{_NOT} (?:\w+ )?(?:mention|specify|state|say|tell|disclose|reveal|indicate|address)\b",
    rf"\b{_SOURCE} {_UP_TO_3}(?:provides?|contains?|gives?|offers?|includes?|has|have|makes?) "
    rf"(?:no|little|insufficient|only limited) {_UP_TO_3}{_CONTENT}\b",
    rf"\b{_SOURCE} {_UP_TO_3}(?:gives?|names?|states?|mentions?) no (?!reason|doubt|grounds)\w+",
    rf"\b{_SOURCE} {_UP_TO_3}lacks? (?:\w+ ){{0,3}}{_CONTENT}\b",
    rf"\b{_SOURCE} {_UP_TO_3}(?:is|are) (?:\w+ )?(?:silent|insufficient|unrelated|irrelevant|not relevant"
    r"|not sufficient|not enough|not related|unclear|incomplete)\b(?! only)",
    rf"\b{_SOURCE} .*\bsays? (?:nothing|little)\b|\b{_SOURCE} {_UP_TO_3}{_NOT} (?:\w+ )?relate to\b",
    r"\b(?:found|find|finds|have) no (?:\w+ )?(?:results|documents|passages|matches)\b",
    r"^\W*no (?:\w+ )?(?:results|documents|passages|matches|answers?) (?:were |was )?found\b",
    rf"\bneither {_SOURCE} (?:\w+ )?{_TELL}\b",
    rf"\b(?:none of|neither of|no) {_UP_TO_3}{_SOURCE} (?:\w+ )?{_TELL}\b",
    rf"\b(?:none of|neither of) {_UP_TO_3}{_SOURCE} {_UP_TO_3}(?:relevant|related)\b",
    rf"\bnothing (?:\w+ ){{0,2}}in {_UP_TO_3}{_SOURCE}\b|^\W*there is nothing (?:about|on) .* in {_UP_TO_3}{_SOURCE}\b",
    r"^\W*no (?:\w+ ){1,3}(?:is|are) (?:given|stated)\b",
    rf"\b(?:outside|beyond) (?:of )?(?:the scope|what) {_UP_TO_3}{_SOURCE}\b",
    r"\bno (?:\w+ )?(?:passage|document|text|source) (?:that|which)\b",
    # The writer cannot give it.
    r"\b(?:i|we)(?: am|'m| are|'re) (?:\w+ )?(?:not able to|unable to|not (?:entirely )?sure\b(?!-|,? but\b)"
    r"|not certain\b(?!,? but\b)"
    r"|not aware"
    r"|uncertain)\b",
    rf"\b(?:i|we) (?:\w+ )?(?:do not|don't) (?:\w+ )?(?:know\b|(?:have|see|find|possess) {_UP_TO_5}"
    rf"(?:{_CONTENT}|access|idea|passage)\b)",
    rf"\b(?:i|we) (?:\w+ ){{0,2}}(?:cannot|can't|can not|could not|couldn't|was unable to|were unable to"
    rf"|won't be able to"
    rf"|will not be able to|am not able to|won't|must decline to|have to decline to|did not"
    rf"|didn't) (?:\w+ )?{_ACT}\b",
    rf"\bbut (?:did not|didn't|could not|couldn't) find\b.*\b(?:instruction|{_CONTENT}|answer)",
    rf"\b(?:i|we) (?:have|found|find|see) (?:no|not enough|insufficient|nothing) ?{_UP_TO_3}"
    rf"(?:{_CONTENT}|idea|access|passage|document|record|source|about|on)\b",
    r"\b(?:i|we) (?:would|'d|will|'ll) need (?:\w+ )?(?:more|additional|further) (?:information|context|details?"
    r"|documents|sources)\b",
    r"\bi(?:'d| would) rather not guess\b|\bi have no idea\b|\bi must decline\b|\bi(?:'m| am) afraid\b.*\b(?:no"
    r"|not)\b",
    r"\b(?:it is|it's|is) (?:not possible|impossible) (?:for me )?to (?:\w+ )?(?:answer|determine|say|tell|know"
    r"|infer"
    r"|conclude)\b",
    rf"^\W*(?:unable|not possible|impossible) to (?:\w+ )?{_ACT}\b",
    # It is not there.
    rf"\b(?:there is|there's|there was|there are|there isn't|there aren't|there's not) (?:no|not|not enough"
    rf"|insufficient"
    rf"|any|enough)\b {_UP_TO_3}(?:information|answer|mention|details?|context|indication|data|reference)\b",
    rf"\b(?:no|not enough|insufficient) (?:\w+ )?(?:information|context|details?|mention|evidence|indication|answer) "
    rf"(?:for this |of this |about this )?(?:{_BE} )?(?:\w+ )?(?:provided|given|found|available|about|on|regarding"
    rf"|concerning|to (?:answer|determine|say|tell)|in {_UP_TO_3}{_REPORT})\b",
    r"\b(?:cannot|can't|can not|could not|couldn't) (?:\w+ )?be (?:\w+ )?(?:answered|determined|inferred|found"
    r"|derived"
    r"|concluded|known|verified|confirmed|ascertained|calculated)\b",
    rf"\b(?:(?:{_BE}) not|isn't|aren't|wasn't|weren't|{_BE} nowhere) (?:\w+ )?{_GIVEN}? ?(?:in|by|within|from) "
    rf"(?:the|this|these|those|any|my|your|our) (?:\w+ ){{0,2}}{_REPORT}\b",
    rf"\b(?:(?:{_BE}) not|isn't|aren't|wasn't|weren't) (?:\w+ )?{_GIVEN}\W*$",
    rf"\b(?:(?:{_BE}) not|isn't|aren't|wasn't|weren't) (?:\w+ )?{_GIVEN} (?:in|by) (?:them|it|any of (?:them"
    rf"|these)|here)\b",
    rf"\b{_THIS} (?:{_BE} not|isn't|wasn't|remains un)(?: \w+)? ?{_GIVEN}\b",
    rf"\b(?:missing|absent|omitted) from (?:the|this|these|my) (?:\w+ ){{0,2}}{_REPORT}\b",
    rf"\b(?:unclear|unspecified|unknown|unstated|uncertain|undisclosed)\b (?:\w+ )?(?:from|in|based on|given"
    rf"|according to) "
    rf"(?:the|this|these|my) (?:\w+ ){{0,2}}{_REPORT}\b",
    r"^\W*(?:it (?:does not|doesn't) say|not (?:stated|specified|given))\W*$",
    r"^\W*not (?:stated|specified|mentioned|given|provided|found|available|disclosed)"
    rf" in (?:the|this|these) (?:\w+ ){{0,2}}{_REPORT}\b",
)
_DE_SOURCE = (r"(?:kontext|text|texte|textstellen?|dokumente?n?|unterlagen|abschnitte?n?|passagen?|quellen?"
              r"|ausz[uü]ge?n?"
              r"|auszug|artikel|material(?:ien)?|informationen)")
GERMAN = (
    rf"\b{_DE_SOURCE} (?:[\w-]+ ){{0,4}}(?:enth[aä]lt|enthalten|erw[aä]hn\w*|nennt|nennen|sagt|sagen|gibt|geben"
    rf"|liefert"
    rf"|liefern|macht|machen|bietet|bieten)\b.*\b(?:nicht|nichts|kein\w*)\b",
    r"\bgeh(?:t|en)\b.*\bnicht hervor\b",
    r"\bl[aä](?:ss|ß)t sich\b.*\bnicht (?:\w+ )?(?:beantworten|sagen|bestimmen|ermitteln|feststellen|entnehmen"
    r"|ableiten)\b",
    r"\b(?:kann|können|konnte) (?:ich|wir)\b.*\b(?:nicht|keine?) (?:\w+ ){0,2}(?:beantworten|sagen|finden"
    r"|ermitteln|helfen)\b",
    r"\b(?:ich|wir) (?:kann|können|konnte|konnten)\b.*\b(?:nicht|keine?n?|nichts) (?:\w+ ){0,2}(?:beantworten|sagen"
    r"|finden|ermitteln|geben|helfen)\b",
    r"\bfinde(?:n)? (?:ich|wir)\b.*\b(?:nichts|keine?n?)\b|\b(?:ich|wir) finden?\b.*\b(?:nichts|keine?n?)\b",
    r"\b(?:ich weiß|weiß ich)\b.*\bnicht\b",
    r"\b(?:kann|können)\b.*\bnicht (?:\w+ )?(?:beantwortet|bestimmt|ermittelt|festgestellt) werden\b",
    r"\bliegen\b.*\bkeine\b|\bliegt\b.*\bkeine?\b.*\bvor\b|\bfehlen\b.*\b(?:informationen|angaben)\b",
    rf"\b(?:ist|sind|wird|werden)\b.*\b{_DE_SOURCE}\b.*\bnicht (?:\w+ )?(?:enthalten|angegeben|erwähnt|genannt)\b",
    rf"\b{_DE_SOURCE} (?:wird|werden|ist|sind)\b.*\bnicht (?:\w+ )?(?:enthalten|angegeben|erwähnt|genannt)\b",
    r"\bnichts (?:zu )?entnehmen\b",
    rf"\bkein\w* (?:der |dieser |von )?(?:\w+ ){{0,2}}{_DE_SOURCE} (?:\w+ ){{0,2}}(?:erwähnt|nennt|enthält|sagt"
    rf"|spricht|gibt"
    rf"|behandelt)\b",
    rf"\bnichts in (?:\w+ ){{1,3}}{_DE_SOURCE}\b|\b(?:nicht möglich|unmöglich)\b.*\bzu (?:sagen|beantworten|bestimmen"
    rf"|ermitteln)\b",
    r"\bes gibt\b.*\bkeine? (?:\w+ )?(?:informationen|angaben|hinweise?|antwort|auskunft)\b",
    r"\bkeine (?:\w+ )?(?:informationen|angaben|antwort|auskunft)\b(?! (?:sind|ist) (?:nötig|erforderlich"
    r"|notwendig))",
)
_FR_SOURCE = r"(?:contextes?|textes?|documents?|passages?|extraits?|sources?|articles?|informations?)"
FRENCH = (
    rf"\b{_FR_SOURCE}\b.* n[e'] ?(?:\w+ )?(?:contien\w+|mentionne\w*|pr[eé]cise\w*|fourni\w*|donne\w*|perme\w+|dit"
    rf"|disent"
    rf"|indique\w*|parle\w*|aborde\w*|comporte\w*|traite\w*)\b.*\b(?:pas|aucune?|rien)\b",
    r"\bje ne (?:sais|peux|dispose|trouve|connais|suis|vois)\b.*\b(?:pas|aucune?)\b|\bje n'ai (?:pas|aucune?"
    r"|trouvé aucune?)\b",
    r"\bnous ne (?:pouvons|savons|disposons)\b.*\bpas\b",
    r"\baucune (?:\w+ )?(?:information|mention|indication|précision|donnée|réponse)\b",
    r"\b(?:il n'est pas|il est im)\s?possible de (?:\w+ )?(?:répondre|déterminer|dire|savoir)\b",
    rf"\bn(?:'est|e sont) (?:pas )?(?:\w+ )?(?:disponible|mentionn|précis|indiqu|fourni|donn)\w* dans (?:\w+ ){{1,3}}"
    rf"{_FR_SOURCE}\b",
    r"\bil (?:m'est|nous est|est) (?:\w+ )?impossible d(?:e |')(?:\w+ )?(?:répondre|déterminer|dire|savoir|préciser"
    r"|trouver|conclure)\b",
    rf"\baucune? (?:\w+ ){{0,3}}{_FR_SOURCE}\b.* n[e'] ?(?:\w+ )?(?:contien|mentionn|précis|donn|dit|indiqu|parl|trait)"
    rf"|\brien dans (?:\w+ ){{1,3}}{_FR_SOURCE}\b",
    rf"\bne (?:figure|figurent|se trouvent?|apparaît|apparaissent) (?:\w+ )?(?:pas|nulle part) dans (?:\w+ ){{1,3}}"
    rf"{_FR_SOURCE}\b",
    r"\b(?:cette|ces|l')\s?(?:information|réponse|question)s? n[e'].*\bpas\b",
)
_ES_SOURCE = r"(?:contextos?|textos?|documentos?|pasajes?|fragmentos?|fuentes?|artículos?|información)"
SPANISH = (
    rf"\b{_ES_SOURCE}\b(?: \w+){{0,3}} no (?:contien\w+|menciona\w*|especifica\w*|proporciona\w*|indica\w*|dice\w*"
    rf"|incluye\w*"
    rf"|ofrece\w*|aborda\w*|está\w*|permite\w*)\b",
    r"\bno (?:puedo|podemos|pude|es posible|se puede|se pueden) (?:\w+ )?(?:responder|contestar|determinar"
    r"|encontrar|decir"
    r"|saber)\b",
    r"\bno (?:encontré|he encontrado|encuentro|encontramos)\b|\bno (?:lo )?sé\b",
    r"\bno (?:hay|tengo|existe|dispongo de|se dispone de) (?:\w+ ){0,2}(?:información|datos|mención|detalles)\b",
    rf"\bning[uú]n\w* (?:de )?(?:\w+ ){{0,3}}{_ES_SOURCE}\b(?: \w+){{0,3}} (?:habla|menciona|dice|indica|trata|contiene"
    rf"|especifica|aborda)\w*\b|\bnada en (?:\w+ ){{1,3}}{_ES_SOURCE}\b",
    r"\bes imposible (?:\w+ )?(?:responder|contestar|determinar|decir|saber)\b|\bno cuento con (?:\w+ ){0,2}"
    r"(?:información|datos|detalles)\b",
    rf"\bno (?:figura|aparece|consta)n? (?:\w+ )?en (?:\w+ ){{1,3}}{_ES_SOURCE}\b",
    r"\bno se (?:proporciona|menciona|especifica|indica|encuentra|ofrece)\w*\b",
)
_IT_SOURCE = r"(?:contesto|testo|testi|documento|documenti|passaggi?|passaggio|brani|brano|fonti|fonte|informazioni)"
ITALIAN = (
    rf"\b{_IT_SOURCE}\b(?: \w+){{0,3}} non (?:contien\w+|contengono|menziona\w*|specifica\w*|fornisc\w+|indica\w*"
    rf"|dice|dicono"
    rf"|riporta\w*)\b",
    r"\bnon (?:posso|possiamo|è possibile|si può|sono in grado di) (?:\w+ )?(?:rispondere|determinare|trovare|dire"
    r"|stabilire)\b",
    r"\bnon (?:riesco|riusciamo|sono riuscit[oa]|siamo riusciti) a (?:\w+ )?(?:trovare|rispondere|determinare|stabilire"
    r"|dire|individuare)\b|\bè impossibile (?:\w+ )?(?:rispondere|determinare|dire|sapere|stabilire)\b",
    rf"\bnessun\w* (?:de\w+ )?(?:\w+ ){{0,2}}{_IT_SOURCE}\b(?: \w+){{0,3}} (?:parla|menziona|indica|dice"
    rf"|contiene|specifica"
    rf"|riporta)\w*\b|\bnulla (?:nel|nei|nella|nelle) (?:\w+ )?{_IT_SOURCE}\b",
    rf"\b(?:nel|nei|nella|nelle|dal|dai|dalla|dalle) (?:\w+ )?{_IT_SOURCE}\b(?: \w+)?,? non (?:viene|vengono"
    rf"|si (?:parla|dice"
    rf"|menziona|fa)|emerge|risulta|c'è|ci sono|è (?:indicat|specificat|menzionat|riportat)\w)\b",
    r"\bnon (?:ho|ci sono|c'è|dispongo di) (?:\w+ )?(?:informazion[ei]|dati|dettagli)\b|\bnon (?:lo so|ho trovato)\b",
)
_PT_SOURCE = r"(?:contextos?|textos?|documentos?|passagens|passagem|trechos?|fontes?|artigos?|informaç(?:ão|ões))"
PORTUGUESE = (
    rf"\b{_PT_SOURCE}\b(?: \w+){{0,3}} não (?:cont[eé]m|menciona\w*|especifica\w*|fornece\w*|indica\w*|informa\w*"
    rf"|diz\w*"
    rf"|inclu\w+|está)\b",
    r"\bnão (?:posso|podemos|é possível|consigo|se pode) (?:\w+ )?(?:responder|determinar|encontrar|dizer|saber)\b",
    rf"\bnenhum\w* (?:d[oae]s? )?(?:\w+ ){{0,2}}{_PT_SOURCE}\b(?: \w+){{0,3}} (?:fala|menciona|indica|diz"
    rf"|contém|especifica"
    rf"|informa|trata)\w*\b|\bnada n[oa]s? (?:\w+ ){{0,2}}{_PT_SOURCE}\b",
    r"\bé impossível (?:\w+ )?(?:responder|determinar|dizer|saber)\b|\bnão (?:disponho de|possuo) (?:\w+ ){0,2}"
    r"(?:informaç(?:ão|ões)|dados|detalhes)\b",
    rf"\bnão (?:consta|aparece|figura)m? (?:\w+ )?n[oa]s? (?:\w+ ){{0,2}}{_PT_SOURCE}\b",
    r"\bnão (?:há|tenho|existem?) (?:\w+ )?(?:informaç(?:ão|ões)|dados|detalhes)\b|\bnão (?:sei\b|encontrei\b)",
)
_NL_SOURCE = (r"(?:context|tekst(?:en)?|documenten|document|passages?|bronnen|bron|fragmenten|fragment|stukken"
              r"|materiaal|artikelen|artikel)")
DUTCH = (
    rf"\b{_NL_SOURCE}\b.*\b(?:bevat|bevatten|vermeldt?|vermelden|noemt|noemen|zegt|zeggen|geeft|geven)\b.*"
    rf"\b(?:geen|niet|niets)\b",
    r"\b(?:ik|we) (?:kan|kunnen|kon)\b.*\b(?:niet|geen)\b|\bweet ik niet\b|\bik weet (?:het|dat) niet\b"
    r"|\b(?:kan|kon) ik\b.*\b(?:niet|geen|niets) (?:\w+ ){0,2}(?:beantwoorden|vinden|zeggen|bepalen)\b",
    r"\b(?:er is|ik heb|ik vind|heb ik|we hebben|vind ik) (?:\w+ ){0,2}(?:geen|onvoldoende|niet genoeg"
    r"|te weinig) (?:\w+ )?"
    r"(?:informatie|antwoord|gegevens|context)\b",
    rf"\b(?:uit|in) (?:\w+ ){{1,3}}{_NL_SOURCE}\b.*\b(?:blijkt|staat) (?:\w+ )?(?:niet|niets|nergens|geen)\b",
    rf"\b(?:in|door) (?:\w+ ){{1,3}}{_NL_SOURCE}\b.*\b(?:wordt|worden|is|zijn)\b.*\b(?:niet|nergens) (?:genoemd|vermeld"
    rf"|gegeven|te vinden|opgenomen)\b",
    rf"\bgeen (?:enkele? |van )?(?:\w+ ){{0,2}}{_NL_SOURCE}\b.*\b(?:noemt|vermeldt|bevat|zegt|gaat over)\b"
    rf"|\bniets in (?:\w+ ){{1,3}}{_NL_SOURCE}\b",
    r"\b(?:onmogelijk|niet mogelijk)\b.*\bte (?:zeggen|bepalen|beantwoorden)\b",
)
_PL_SOURCE = (r"(?:kontek\w+|tekst\w*|teksci\w+|dokument\w*|fragment\w*|źród\w+|materiał\w*|artyku\w+|pasaż\w*"
              r"|urywk\w+)")
POLISH = (
    rf"\b{_PL_SOURCE} (?:\w+ ){{0,3}}nie (?:\w+ )?(?:podaj|wspomina|zawiera|mówi|określa|wymienia|wskazuj"
    rf"|precyzuj|dostarcza"
    rf"|zawieraj|odpowiada)\w*\b",
    rf"\b(?:w|we|z|ze|na podstawie) (?:\w+ ){{0,3}}{_PL_SOURCE}(?: \w+){{0,2}},? (?:nie ma|brak|nie wynika"
    rf"|nie znaleziono"
    rf"|nie znalaz\w+|nie podano|nie wspomniano|nie określono|nie można)\b",
    r"\bnie (?:mogę|możemy|jestem w stanie|potrafię|udało mi się|można|da się) (?:\w+ ){0,3}(?:odpowiedzieć|znaleźć"
    r"|określić|ustalić|stwierdzić|powiedzieć)\b|\bnie (?:wiem|znalazłem|znalazłam)\b",
    r"\b(?:nie mam|nie ma|brak|nie posiadam) (?:\w+ ){0,2}(?:informacji|danych|odpowiedzi)\b",
    rf"\bżad\w+ (?:z )?(?:\w+ ){{0,2}}{_PL_SOURCE} (?:\w+ )?nie\b|\bnic w (?:\w+ ){{0,2}}{_PL_SOURCE} nie\b",
)
OTHER_SCRIPTS = (
    r"我不知道|不知道答案|不清楚答案|(?:无法|無法|不能)(?:回答|确定|確定|提供|判断|得知|得出)|(?:资料|信息|資訊"
    r"|证据)(?:不足|不够)",
    r"(?:上下文|文档|文中|文本|资料|段落|文章|材料|内容|提供的.{0,6})[^。，]{0,10}(?:没有|沒有|并未|未"
    r"|不)(?:[^。，]{0,3})"
    r"(?:提到|提及|包含|说明|提供|信息|資訊|相关)|(?:没有|沒有)(?:相关|足够的?|相關|足夠的?)?(?:信息|資訊|资料)|(?:上下文|文档|文中|文本|资料|段落|文章|材料)[^。，]{0,6}"
    r"(?:找不到|没有找到|未找到|看不出)|(?:没有|沒有)(?:任何)?(?:一[个篇段份])?(?:文档|段落|资料|文章)[^。，]{0,4}(?:提到|提及|说明)",
    r"(?:文書|文脈|本文|資料|情報|テキスト|コンテキスト|ドキュメント|抜粋|記載|文章)[^。]{0,40}(?:ありません|含まれていません|記載されていません"
    r"|判断できません"
    r"|不明です|見つかりません)|(?:お答え|答えられ|回答)(?:でき)?ません|答えられません|(?:わ|分)かりません",
    r"(?:정보가|정보는|언급이|언급은|내용이|근거가)[^.]{0,12}(?:없|부족)|답(?:변)?할 수 없|찾을 수 없|모르겠|알 수 없"
    r"|언급(?:되|하)지 않|나와 있지 않",
    r"(?:нет|недостаточно) (?:\w+ )?(?:информации|данных|сведений|ответа)|не (?:могу|можем|удалось|удаётся) (?:\w+ )?"
    r"(?:ответить|найти|определить|сказать)|(?:^|\W)не знаю|(?:контекст|текст|документ|источник)\w* (?:\w+ ){0,2}не "
    r"(?:указан|упомян|упомина|сказан|содерж|приведен|говорит)|невозможно (?:\w+ )?(?:ответить|определить)"
    r"|(?:ответить|определить)[^.]{0,30} невозможно|(?:контекст|текст|документ|источник|отрывк|материал|фрагмент)\w*"
    r"[^.]{0,25} (?:не (?:указан|упомин|упомян|сказан|содерж|говорит|привод)|нет (?:информации|данных|сведений))"
    r"|нельзя (?:\w+ )?(?:ответить|определить|сказать|установить)",
    r"لا أعرف|لا أعلم|لا أستطيع|لا يمكنني|لا يمكن (?:الإجابة|تحديد)|لا (?:توجد|تتوفر) معلومات"
    r"|لا (?:يحتوي|يذكر|تذكر|تحتوي) (?:السياق|النص|الوثائق|المستندات)|لم يذكر",
)
# What an answer that declines says, in lower case with straight apostrophes. The one home of this list.
REFUSALS = (*ENGLISH, *GERMAN, *FRENCH, *SPANISH, *ITALIAN, *PORTUGUESE, *DUTCH, *POLISH,
            *OTHER_SCRIPTS)
# What declines only where it is the whole answer.
ALONE = frozenset(("unknown", "unanswerable", "not answerable", "no answer", "n/a", "not available", "not found", "idk",
                   "no information", "insufficient information", "not enough information", "cannot answer", "no idea",
                   "insufficient context", "not enough context",
                   "not mentioned", "not specified", "not provided", "not stated", "no answer found", "unclear",
                   "no relevant information", "no relevant information found", "cannot be determined", "no sé"))
# Every phrase holds one of these, which are found faster.
_HINT = re.compile(r"n't|\bno(?:t|n|ne|thing|where)?\b|cannot|never|un(?:able|aware|clear|certain|known|spec"
                   r"|stated|disc|rel)"
                   r"|impossible|insufficient|incomplete|irrelevant|lack|silent|fail|beyond|outside|neither|missing"
                   r"|absent|omitted|rather|need|declin|nich|kein|fehl|unmög|\bn[e']|aucun|\brien\b|não|nenhum|\bnada\b"
                   r"|ning[uú]n|nessun|\bnulla\b|impos|niet|geen|onmog|onvol|\bnie\b|\bbrak\b|\bnic\b"
                   r"|żad|[^\x00-\u024f]")
_APOLOGY = re.compile(r"\W*(?:(?:i am|i'm|we are|we're)?\s*(?:\w+ )?sorry|my apologies|i apologi[sz]e|apologies"
                      r"|unfortunately|désolée?|lo siento|leider|mi dispiace)\b[^.]{0,30}[.!]?")
_INTRODUCTION = re.compile(r"\W*(?:answer|response|antwort|réponse|respuesta)\W*")
# "While the context mentions X, it ...": what follows decides, and "it" is the source.
_CONCESSION = re.compile(rf"^\W*(?:although|though|even though|while|whereas)\b[^,]*\b{_SOURCE}\b[^,]*, (?:it"
                         rf"|they)\b")
_QUOTED = re.compile("\"[^\"\n]{0,300}\"|“[^”\n]{0,300}”|«[^»\n]{0,300}»|„[^“\n]{0,300}“")


@cache
def _refusals() -> re.Pattern[str]:
    """Compiled when first used, because that takes long."""
    return re.compile("|".join(f"(?:{phrase})" for phrase in REFUSALS))


def is_refusal(answer: str) -> bool:
    """Whether the answer declines: its first sentence holds one of REFUSALS, or all of it is one of ALONE.

    Quotations and a sentence that only apologizes are left out. Found by phrases: an unusual way to decline is
    missed, and a first sentence that declines in part counts. Measured on the texts of its tests alone.
    """
    head = _QUOTED.sub(" ", answer[:2000].replace("\u2019", "'"))
    if " ".join(re.sub(r"[^\w/]+", " ", head.lower()).split()) in ALONE:
        return True
    for start, stop in sentences(head):
        sentence = " ".join(head[start:stop].replace("*", "").lower().split())
        sentence = _CONCESSION.sub("the context", sentence)
        if _HINT.search(sentence) and _refusals().search(sentence):
            return True
        if not _APOLOGY.fullmatch(sentence) and not _INTRODUCTION.fullmatch(sentence):
            return False
    return False

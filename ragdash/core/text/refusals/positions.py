"""The words that decide about the place of a refusal: asides, contrasts, concessions, advice, what sources hold."""

from __future__ import annotations

import re

from ragdash.core.text.refusals.english import INFORM

# What declines only where it is the whole answer.
ALONE = frozenset(("unknown", "unanswerable", "not answerable", "no answer", "n/a", "not available", "not found", "idk",
                   "no information", "insufficient information", "not enough information", "cannot answer", "no idea",
                   "insufficient context", "not enough context", "cannotanswer", "none found", "no data", "no info",
                   "not mentioned", "not specified", "not provided", "not stated", "no answer found", "unclear",
                   "not given", "not disclosed", "not known", "no comment", "no information found",
                   "no relevant information", "no relevant information found", "cannot be determined", "no sé",
                   "keine angabe", "keine angaben", "k a", "unbekannt", "keine antwort", "keine information",
                   "keine informationen", "inconnu", "aucune réponse", "information insuffisante", "sin respuesta",
                   "información insuficiente", "sin información", "desconocido", "no consta", "nessuna risposta",
                   "informazioni insufficienti", "sconosciuto", "sem resposta", "informação insuficiente",
                   "informações insuficientes", "desconhecido", "onbekend", "geen antwoord", "geen informatie",
                   "brak danych", "brak informacji", "brak odpowiedzi", "nieznane", "неизвестно", "нет данных",
                   "нет информации", "нет ответа", "невідомо", "немає даних", "okänt", "ukendt", "ukjent",
                   "bilinmiyor", "neznámo", "ei tiedossa", "不明", "未知", "无", "無回答", "알 수 없음", "غير معروف"))
# Every English phrase holds one of these, which are found faster.
ENGLISH_HINT = (r"n't|\bno(?:t|n|ne|thing|where)?\b|cannot|never|un(?:able|aware|clear|certain|known|spec|stated"
                r"|disc|rel"
                r"|answ|ment)|impossible|insufficient|incomplete|irrelevant|lack|silent|fail|beyond|outside|neither"
                r"|missing|absent|omitted|rather|need|declin|require|left out|leaves?\b|redact|only able|can only"
                r"|guess|specul|wish|so (?:that )?i can|mute|vague|open\b|provide|share|upload|send|zero")
_SORRY = (r"(?:(?:i am|i'm|we are|we're)?\s*(?:\w+ )?sorry|my apologies|i apologi[sz]e|apologies|unfortunately|sadly"
          r"|regrettably|désolée?|je suis désolée?|malheureusement|lo siento|lo lamento|lamento|leider|es tut mir leid"
          r"|tut mir leid|entschuldigung|mi dispiace|purtroppo|desculpe|sinto muito|infelizmente|helaas|het spijt me"
          r"|sorry|niestety|przepraszam|przykro mi|к сожалению|извините|простите|на жаль|вибачте|tyvärr|beklager"
          r"|desværre|dessverre|valitettavasti|üzgünüm|maalesef|bohužel|omlouvám se|sajnos|sajnálom|din păcate"
          r"|λυπάμαι|xin lỗi|maaf|क्षमा करें|माफ़ करें|מצטער|מצטערת|عذرا|آسف|申し訳(?:ありません|ございません)|すみません"
          r"|抱歉|对不起|對不起|很遗憾|죄송합니다|죄송하지만|안타깝게도)")
# A sentence that only apologizes, thanks or introduces, such as "Answer:" or "Great question!"
ASIDE = re.compile(rf"\W*{_SORRY}(?!\w)[^.,;:]{{0,30}}[.!。,，]?|\W*(?:answer|response|antwort|réponse|respuesta"
                   rf"|risposta"
                   r"|resposta|antwoord)\W*|\W*(?:thanks?(?: you)?|good question|great question|hello|hi|sure"
                   r"|certainly"
                   r"|of course|vielen dank|gute frage|merci|gracias|grazie|obrigad[oa])\b[^.!?,]{0,40}[.!]?"
                   r"|\W*let me (?:check|look|see)\b[^.]{0,40}[.!:]?")
QUOTED = re.compile("\"[^\"\n]{0,300}\"|“[^”\n]{0,300}”|«[^»\n]{0,300}»|„[^“”\n]{0,300}[“”]|「[^」\n]{0,300}」")
# {"answer": null}: structured output without an answer.
NULL_ANSWER = re.compile(r"^\W{0,12}\"?(?:answer|final_answer|response|result)\"?\s*:\s*(?:null|none|\"\""
                         r"|\"\s*n/?a\s*\")"
                         r"\s*[,}\n]", re.IGNORECASE)
_BUT = (r"but|however|yet|nevertheless|still|aber|jedoch|allerdings|mais|cependant|toutefois|pero|sin embargo|ma|però"
        r"|tuttavia|mas|porém|contudo|maar|echter|ale|jednak|но|однако|але|проте|men|mutta|ama|fakat|avšak|de azonban"
        r"|dar|însă|αλλά|nhưng|tetapi|tapi|namun|लेकिन")
CONTRAST = re.compile(rf"[,;:–—-] ?(?:(?:so |und |and |et |y |e )?(?:{_BUT})\b,?)|\b(?:but|pero) "
                      rf"|; [^;,]{{1,40}}, however,"
                      r"|(?<=す)が、|(?<=た)が、|(?<=い)が、|けれども、?|[，,；](?:但是?|不过|不過|然而|可是)|지만,? "
                      r"|، ?(?:لكن|ولكن|لكنها|لكنه|ولكنها)|[,،] ?אבל|[,،] ?אך ")
_THOUGH = (r"although|though(?!,)|even though|even if|albeit|obwohl|obgleich|auch wenn|wenngleich|bien que|même si"
           r"|quoique|aunque|si bien|sebbene|anche se|benché|embora|ainda que|hoewel|ook al|al (?=staat|is|geeft)"
           r"|choć|chociaż|mimo że|хотя|хоча|även om|fastän|selv om|selvom|vaikka|i když|ačkoli|bár|deși")
# The next sentence answers after all: "However, it was built about 1210."
TURNS = re.compile(r"\W*(?:however|but|that said|nevertheless|nonetheless|still|yet|aber|allerdings|jedoch|cependant"
                   r"|toutefois|sin embargo|no obstante|tuttavia|porém|no entanto|echter|jednak|однако|проте)\b,? ?")
CONCEDED_AFTER = re.compile(rf",? \(?(?:{_THOUGH})\b")
CONCEDED_BEFORE = re.compile(rf"^\W*(?:{_THOUGH}|while|whereas|während)\b[^,]*, ")
# After a part that declines: "but you may ask support", "but they describe the pump".
ADVICE = re.compile(r"\W*(?:you|please|i|we|i'd|i'm|feel|let|try|consult|check|contact|see|perhaps|maybe you|if you"
                    r"|sie (?:können|könnten|sollten)|bitte|ich|wenden|vous (?:pouvez|pourriez)|veuillez|je|puede"
                    r"|podría"
                    r"|le recomiendo|può|potrebbe|ti consiglio|você pode|recomendo|u kunt|je kunt|ik|możesz|proszę|вы"
                    r"|я|du kan|jag|jeg|ви|お手数|您|你|如果|請|请)\b")
# "but not his heart rate": what is missing is named once more.
NOT_THAT = re.compile(r"\W*(?:not|no|nothing|never|nicht|kein\w*|pas|non|não|niet|nie|не)\b")
_NOUNS = (r"contexts?|documents?|documentation|passages?|texts?|sources?|excerpts?|articles?|materials?|snippets?"
          r"|extracts?|results?|pages?|reports?|papers?|filings?|manuals?|handbooks?|sections?|chapters?|transcripts?"
          r"|files?|leaflets?|brochures?|guides?|notes|data ?sheets?|sheets?|letters?|tables?|records?|timetables?"
          r"|roadmaps?|catalogs?|interviews?|policy|contract|dokumente?n?|texte?s?|unterlagen|berichte?s?|handbuch"
          r"|anleitung|broschüre|datenblatt|angebot|prospekt|vertrag|textes?|extraits?|rapports?|manuels?|brochures?"
          r"|notice|contrat|documentos?|textos?|informes?|folletos?|manual|prospecto|contrato|documento|documenti"
          r"|testo"
          r"|testi|manuale|relazione|contratto|opuscolo|relatório|tekst|handleiding|verslag|rapport|polis|tekście"
          r"|dokumencie|umowa|raport|инструкци\w|документ\w*|текст\w*|договор\w*|отч[её]т\w*|dokument(?:en|et|ene)?"
          r"|rapporten|avtalet|sözleşme\w*|belge\w*|metin\w*|dokumenty?|smlouva")
SOURCE_NOUN = re.compile(rf"\b(?:{_NOUNS})\b|文档|文件|资料|文章|材料|手册|合同|文書|資料|本文|記事|契約"
                         r"|문서|본문|계약|المستند|النص|العقد"
                         r"|המסמכ|החוזה|अनुबंध|दस्तावेज़")
# A sentence on what the sources hold: the source is its subject, or it is found "in the report".
REPORTS = re.compile(rf"^\W*(?:\d+[.:] |step \d+: )?(?:[\w']+ ){{0,4}}(?:{_NOUNS})\b|^\W*(?:in|im|dans|en|nel|no|i|в"
                     rf"|у) "
                     rf"(?:\w+ ){{0,2}}(?:{_NOUNS})\b|^\W*(?:they|it|these|sie|ils|elles) (?:only )?(?:mentions?"
                     rf"|describes?"
                     r"|discuss(?:es)?|covers?|lists?|names?|talks?|deals?|explains?|gives?|erwähn\w+|beschreib\w+)\b"
                     r"|^\W*\[\d+\] |^\W*(?:i|we) (?:looked|searched|went|checked|read|scanned)\b"
                     r"|^\W*(?:文档|文件|资料|文章|材料|手册|上下文|文書|資料|本文|記事|문서|본문)")
# A refusal that is of the question as a whole.
OF_THE_QUESTION = re.compile(
    r"\b(?:the|this|your|that) question (?:\w+ ){0,2}(?:cannot|can't|could not|is not|isn't|remains|goes)\b"
    r"|\bnot answerable\b"
    r"|\bunanswerable\b|\b(?:cannot|can't|can not|could not|couldn't|unable to|not able to) (?:\w+ )?(?:answer|say"
    rf"|{INFORM}"
    r"|determine|help)(?: (?:this|that|it|the|your)(?: question)?| you)?(?: (?:from|with|based on) .*)?\W*$"
    r"|\b(?:cannot|can't|could not) be (?:\w+ )?(?:answered|determined|identified|said)\b|\bi (?:do not"
    r"|don't) know\W*$"
    r"|\b(?:i|we)(?:'d| would|'ll| will)? need .* to answer\b|\bno answer (?:can|could) be given\b"
    r"|\b(?:frage|antwort)\b.*\bnicht (?:möglich|beantworte\w*|zu beantworten)\b|\bweiß ich nicht\W*$"
    r"|\bich weiß es nicht\b"
    r"|\bne (?:peux|puis|permet\w+) pas (?:y )?répondre\b|\bimpossible de (?:y )?répondre\b|\bje ne sais pas\W*$"
    r"|\bno (?:puedo|es posible|se puede) responder\b|\bno lo sé\W*$|\bnon (?:posso|è possibile) rispondere\b"
    r"|\bnon lo so\W*$|\bnão (?:posso|é possível) responder\b|\bnão sei\W*$|\bniet (?:te )?beantwoord\w*\b"
    r"|\bnie (?:mogę|można|da się) (?:na to )?odpowiedzieć\b|\bне могу ответить\b|\bнельзя ответить\b|(?:无法|無法)回答"
    r"|(?:お答え|回答)(?:でき|いたしかね)ま|답변할 수 없|لا (?:يمكن|يمكنني|أستطيع) الإجابة")
# "... does not mention any others", "no further details": of a part of what is asked at most.
NOT_FOR_THE_WHOLE = re.compile(r"\b(?:others?|else|further|additional|exact(?:ly)?|precise(?:ly)?|break(?:s|down)?"
                               r"|more)\b"
                               r"|\b(?:weitere|genaue)\w*|\bd'autres?\b|\botr[oa]s\b|\baltr[ie]\b|\boutr[oa]s\b"
                               r"|\bandere\b")
# "does not mention any others": some have been given.
OTHERS = re.compile(r"\b(?:any|no) others?\W*$|\banything else\W*$|\bweitere (?:werden|wird|sind)\b"
                    r"|\bpas d'autres?\W*$"
                    r"|\b(?:no|non) .* (?:otr[oa]s|altr[ie])\W*$|\bgeen andere\W*$")
NEGATIVE_ANSWER = re.compile(r"\W*(?:no|nein|non|não|nee|nie|нет|ні|nej|nei|hayır|ne|ei|nem|nu|όχι|không|tidak|नहीं|לא"
                             r"|لا|いいえ|没有|不是|아니요|아니오)(?:[,，、:،;] ?|[.!] )")
YES_OR_NO = re.compile(r"\W*(?:does|do|did|is|are|was|were|can|could|has|have|had|will|would|should|may|must|gibt"
                       r"|ist|sind"
                       r"|enthält|darf|kann|wird|hat|est-ce|existe|y a-t-il|hay|es|está|se puede|puede|c'è|ci sono|è"
                       r"|posso"
                       r"|pode|existe|há|is er|zijn|bevat|kan|mag|czy|есть ли|можно ли|чи|finns|är|får|er|kan|må"
                       r"|onko|je|jsou"
                       r"|van|ar|apakah|क्या|האם|هل|có)\b|.*(?:吗|嗎|ますか|ですか|ませんか|mı|mi|mu|mü|습니까|나요|까요)\W*$",
                       re.IGNORECASE)

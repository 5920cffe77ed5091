"""What an answer that declines says in the other languages of the field, in lower case with straight apostrophes."""

from __future__ import annotations

from ragdash.core.text.refusals.more_languages import MORE

_DE_SOURCE = (r"(?:kontext|text|texte|textstellen?|dokumente?n?|unterlagen|abschnitte?n?|passagen?|quellen?"
              r"|ausz[uü]ge?n?"
              r"|auszug|artikel|material(?:ien)?|informationen|berichte?|handbuch|anleitung|broschüre|datenblatt"
              r"|prospekt"
              r"|beipackzettel|protokoll|akten?)")
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
    r"\b(?:wird|werden|wurde|wurden|ist|sind)\b.*\b(?:nicht|nirgends|nie) (?:\w+ )?(?:genannt|erwähnt|angegeben"
    r"|aufgeführt"
    r"|beschrieben|beziffert|spezifiziert|dokumentiert|benannt|ersichtlich|thematisiert)\W*$",
    r"\b(?:ob|wer|wie|was|wann|wo|warum|wieso|welche\w*|frage)\b.*\bbleibt\b.*\b(?:offen|unklar)\b"
    r"|\bbleibt\b.*\b(?:unerwähnt|ungenannt)\b",
    rf"\b{_DE_SOURCE} schwei(?:gt|gen)\b",
    r"\bmir (?:fehl(?:t|en)|ist .* nicht bekannt|lieg(?:t|en) .* kein)\b|\bkeine? (?:\w+ )?(?:angaben?|hinweise?"
    r"|erwähnung|daten)"
    r"(?:\W*$| (?:zu|zur|zum|über|dazu|darüber|darauf|enthalten|gefunden|vorhanden|verfügbar)\b)",
    r"\b(?:antwort|beantwortung) (?:\w+ )?(?:ist|wäre) (?:\w+ ){0,2}(?:nicht möglich|unmöglich)\b"
    r"|\bnicht (?:zu beantworten|beantwortbar)\b",
    r"\b(?:dazu|darüber|hierzu|hierüber|davon) (?:finde|findet|finden|steht|stehen|sagt|sagen|gibt es|enthält"
    r"|enthalten|habe|haben"
    r"|liegen|erfährt|erfahren)\b.*\b(?:nichts|keine?)\b|\bsteht (?:\w+ ){0,4}(?:nicht|nichts|nirgends)\b.*"
    r"\b(?:text|dokument|kontext|unterlagen|auszug|bericht)\w*\b|\b(?:weiß|wissen) (?:ich|wir) (?:leider )?nicht\b",
)
_FR_SOURCE = (r"(?:contextes?|textes?|documents?|passages?|extraits?|sources?|articles?|informations?"
              r"|manuels?|rapports?|brochures?|notices?|fiches?|pages?)")
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
    rf"\baucune? (?:\w+ ){{0,3}}{_FR_SOURCE}\b.* n[e'] ?(?:\w+ )?(?:contien|mentionn|précis|donn|dit|indiqu|parl"
    rf"|trait)"
    rf"|\brien dans (?:\w+ ){{1,3}}{_FR_SOURCE}\b",
    rf"\bne (?:figure|figurent|se trouvent?|apparaît|apparaissent) (?:\w+ )?(?:pas|nulle part) dans (?:\w+ ){{1,3}}"
    rf"{_FR_SOURCE}\b",
    r"\b(?:cette|ces|l')\s?(?:information|réponse|question)s? n[e'].*\bpas\b",
    rf"\b{_FR_SOURCE}\b.* n[e'] ?(?:\w+ )?(?:contien|mentionn|précis|fourni|donn|di[st]|indiqu|parl|abord"
    rf"|évoqu)\w*\b.*\b(?:nulle part"
    rf"|jamais|ni)\b",
    r"\bn'(?:est|a|ont|était) (?:pas|jamais|nulle part) (?:\w+ )?(?:été )?(?:indiqu|mention|précis|fourni|spécifi"
    r"|renseign|évoqu"
    r"|communiqu|cit|nomm|donn)\w*\W*(?:$|dans |par |ici)|\bne (?:sont|seront) (?:pas|jamais"
    r"|nulle part) (?:\w+ )?(?:indiqu|mention|précis"
    r"|fourni|spécifi|évoqu|cit|donn)\w*\W*(?:$|dans |par )",
    r"\bimpossible (?:\w+ )?(?:de|d') ?(?:\w+ )?(?:répondre|savoir|dire|déterminer|préciser|trouver|confirmer)\b"
    r"|\bj'ignore\b",
    r"\bje n'ai (?:\w+ )?(?:pas|rien|aucun\w*) ?(?:\w+ )?(?:trouvé|accès|d'information|information)|\b(?:n'apparaît"
    r"|n'apparaissent|ne figure"
    r"|ne figurent|ne se trouve) (?:\w+ )?(?:pas|nulle part)\b|\bsans (?:plus d')?informations?\b.*\bpas\b"
    r"|\binformations? insuffisantes?\b",
)
_ES_SOURCE = (r"(?:contextos?|textos?|documentos?|pasajes?|fragmentos?|fuentes?|artículos?|información|informes?"
              r"|folletos?"
              r"|manual(?:es)?|prospectos?|fichas?|etiquetas?|páginas?|material(?:es)?)")
SPANISH = (
    rf"\b{_ES_SOURCE}\b(?: \w+){{0,3}} no (?:contien\w+|menciona\w*|especifica\w*|proporciona\w*|indica\w*|dice\w*"
    rf"|incluye\w*"
    rf"|ofrece\w*|aborda\w*|está\w*|permite\w*)\b",
    r"\bno (?:puedo|podemos|pude|es posible|se puede|se pueden) (?:\w+ )?(?:responder|contestar|determinar"
    r"|encontrar|decir"
    r"|saber)\b",
    r"\bno (?:encontré|he encontrado|encuentro|encontramos)\b|\bno (?:lo )?sé\b",
    r"\bno (?:hay|tengo|existe|dispongo de|se dispone de) (?:\w+ ){0,2}(?:información|datos|mención|detalles)\b",
    rf"\bning[uú]n\w* (?:de )?(?:\w+ ){{0,3}}{_ES_SOURCE}\b(?: \w+){{0,3}} (?:habla|menciona|dice|indica|trata"
    rf"|contiene"
    rf"|especifica|aborda)\w*\b|\bnada en (?:\w+ ){{1,3}}{_ES_SOURCE}\b",
    r"\bes imposible (?:\w+ )?(?:responder|contestar|determinar|decir|saber)\b|\bno cuento con (?:\w+ ){0,2}"
    r"(?:información|datos|detalles)\b",
    rf"\bno (?:figura|aparece|consta)n? (?:\w+ )?en (?:\w+ ){{1,3}}{_ES_SOURCE}\b",
    r"\bno se (?:proporciona|menciona|especifica|indica|encuentra|ofrece)\w*\b",
    rf"\b{_ES_SOURCE}\b.*\bno (?:\w+ )?(?:aporta|ofrece|da|contiene|incluye|recoge|facilita|menciona|indica"
    rf"|especifica|precisa|detalla|dice"
    rf"|aclara|señala|nombra|cita)n?\b",
    r"\bno (?:aporta|ofrece|da|contiene|incluye|recoge|facilita|proporciona)n? (?:ning[uú]n\w* )?(?:información"
    r"|datos?|detalles?)\b",
    r"\b(?:no lo sé|no sabría|desconozco|lo desconozco|no me consta)\b|\bno puedo (?:\w+ )?(?:confirmar|ayudar"
    r"|precisar|indicar)\w*\b"
    r"|\b(?:información|datos) insuficientes?\b|\bno (?:es|resulta) posible (?:\w+ )?(?:responder|saber|determinar"
    r"|precisar|contestar)\b",
    r"\bno (?:figura|aparece|consta)n?\W*$|\bno (?:está|están|viene|vienen|fue|es) (?:\w+ )?(?:especificad|indicad"
    r"|mencionad|recogid|detallad)\w*\b"
    r"|\bno hay (?:\w+ ){0,2}(?:referencias?|indicaci\w+|mención|menciones)\b|\bno he (?:podido )?(?:encontrado"
    r"|encontrar|localizado|localizar)\b",
)
_IT_SOURCE = (r"(?:contesto|testo|testi|documento|documenti|passaggi?|passaggio|brani|brano|fonti|fonte|informazioni"
              r"|manuale|relazione|rapporto|opuscolo|scheda|articolo|materiale|estratti)")
ITALIAN = (
    rf"\b{_IT_SOURCE}\b(?: \w+){{0,3}} non (?:contien\w+|contengono|menziona\w*|specifica\w*|fornisc\w+|indica\w*"
    rf"|dice|dicono"
    rf"|riporta\w*)\b",
    r"\bnon (?:posso|possiamo|è possibile|si può|sono in grado di) (?:\w+ )?(?:rispondere|determinare|trovare|dire"
    r"|stabilire)\b",
    r"\bnon (?:riesco|riusciamo|sono riuscit[oa]|siamo riusciti) a (?:\w+ )?(?:trovare|rispondere|determinare"
    r"|stabilire"
    r"|dire|individuare)\b|\bè impossibile (?:\w+ )?(?:rispondere|determinare|dire|sapere|stabilire)\b",
    rf"\bnessun\w* (?:de\w+ )?(?:\w+ ){{0,2}}{_IT_SOURCE}\b(?: \w+){{0,3}} (?:parla|menziona|indica|dice"
    rf"|contiene|specifica"
    rf"|riporta)\w*\b|\bnulla (?:nel|nei|nella|nelle) (?:\w+ )?{_IT_SOURCE}\b",
    rf"\b(?:nel|nei|nella|nelle|dal|dai|dalla|dalle) (?:\w+ )?{_IT_SOURCE}\b(?: \w+)?,? non (?:viene|vengono"
    rf"|si (?:parla|dice"
    rf"|menziona|fa)|emerge|risulta|c'è|ci sono|è (?:indicat|specificat|menzionat|riportat)\w)\b",
    r"\bnon (?:ho|ci sono|c'è|dispongo di) (?:\w+ )?(?:informazion[ei]|dati|dettagli)\b|\bnon (?:lo so|ho trovato)\b",
    rf"\b{_IT_SOURCE}\b.*\bnon (?:\w+ )?(?:riporta|fornisc|indica|menziona|specifica|precisa|cita|contien|conteng"
    rf"|dic|parla|chiari)\w*\b",
    r"\bnon (?:è|sono|viene|vengono|era|erano) (?:mai |\w+mente )?(?:specificat|indicat|riportat|menzionat|precisat"
    r"|citat|nominat|dichiarat)\w\b",
    r"\bnon (?:saprei|ne ho idea|ho (?:\w+ )?(?:informazioni|accesso|trovato)|sono in grado"
    r"|risultano informazioni)\b|\binformazioni insufficienti\b"
    r"|\bimpossibile (?:rispondere|stabilirlo|saperlo|determinarlo)\b",
)
_PT_SOURCE = (r"(?:contextos?|textos?|documentos?|passagens|passagem|trechos?|fontes?|artigos?|informaç(?:ão|ões)"
              r"|relatórios?|manua(?:l|is)|folhetos?|fichas?|materia(?:l|is))")
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
    rf"\b{_PT_SOURCE}\b.*\bnão (?:\w+ )?(?:cont[eé]m|menciona|especifica|fornece|indica|informa|diz|traz|cita"
    rf"|esclarece|apresenta)\w*\b",
    r"\bnão (?:é|são|está|estão|foi|foram|vem|vêm) (?:\w+ )?(?:mencionad|informad|especificad|indicad|fornecid|citad"
    r"|descrit)\w*\b"
    r"|\bnão constam?\W*(?:$|n[oa]s? )|\b(?:desconheço|não sei|não tenho como)\b|\binformaç(?:ão|ões) insuficientes?\b"
    r"|\bnão há (?:\w+ )?(?:menção|referência|indicação|informaç\w+)\b|\bnão (?:encontrei|consegui encontrar"
    r"|foi possível (?:responder|determinar|encontrar|identificar|localizar))\b",
)
_NL_SOURCE = (r"(?:context|tekst(?:en)?|documenten|document|passages?|bronnen|bron|fragmenten|fragment|stukken"
              r"|materiaal|artikelen|artikel|handleiding|verslag|rapport|folder|bijsluiter|gegevens)")
DUTCH = (
    rf"\b{_NL_SOURCE}\b.*\b(?:bevat|bevatten|vermeldt?|vermelden|noemt|noemen|zegt|zeggen|geeft|geven)\b.*"
    rf"\b(?:geen|niet|niets)\b",
    r"\b(?:ik|we) (?:kan|kunnen|kon)\b.*\b(?:niet|geen)\b|\bweet ik niet\b|\bik weet (?:het|dat) niet\b"
    r"|\b(?:kan|kon) ik\b.*\b(?:niet|geen|niets) (?:\w+ ){0,2}(?:beantwoorden|vinden|zeggen|bepalen)\b",
    r"\b(?:er is|ik heb|ik vind|heb ik|we hebben|vind ik) (?:\w+ ){0,2}(?:geen|onvoldoende|niet genoeg"
    r"|te weinig) (?:\w+ )?"
    r"(?:informatie|antwoord|gegevens|context)\b",
    rf"\b(?:uit|in) (?:\w+ ){{1,3}}{_NL_SOURCE}\b.*\b(?:blijkt|staat) (?:\w+ )?(?:niet|niets|nergens|geen)\b",
    rf"\b(?:in|door) (?:\w+ ){{1,3}}{_NL_SOURCE}\b.*\b(?:wordt|worden|is|zijn)\b.*\b(?:niet|nergens) (?:genoemd"
    rf"|vermeld"
    rf"|gegeven|te vinden|opgenomen)\b",
    rf"\bgeen (?:enkele? |van )?(?:\w+ ){{0,2}}{_NL_SOURCE}\b.*\b(?:noemt|vermeldt|bevat|zegt|gaat over)\b"
    rf"|\bniets in (?:\w+ ){{1,3}}{_NL_SOURCE}\b",
    r"\b(?:onmogelijk|niet mogelijk)\b.*\bte (?:zeggen|bepalen|beantwoorden)\b",
    rf"\b(?:staat|staan|wordt|worden|is|zijn)\b.*\b(?:niet|nergens) (?:\w+ )?(?:in {_NL_SOURCE}|in (?:de|het|deze"
    rf"|dit) (?:\w+ )?{_NL_SOURCE}|vermeld"
    rf"|genoemd|aangegeven|gespecificeerd)\b",
    r"\bgeen (?:\w+ )?(?:informatie|gegevens|antwoord|vermelding) (?:\w+ )?(?:over|te vinden|gevonden|beschikbaar"
    r"|bekend)\b|\bonvoldoende informatie\b"
    r"|\bniet (?:te zeggen|te bepalen|te beantwoorden)\b|\b(?:dat|dit) weet ik niet\b|\bik heb (?:\w+ ){0,3}(?:geen"
    r"|niets)\b.*\b(?:informatie|gevonden)\b",
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
    rf"\bnie (?:jest|są|został\w*) (?:\w+ )?(?:podan|wymienion|określon|wspomnian|wskazan)\w*\b|\bnie (?:podano"
    rf"|podaje|wspomniano|określono)\b"
    rf"|\bbrak (?:\w+ )?(?:informacji|danych|wzmianki)\b|\b{_PL_SOURCE}\b.*\bnie (?:podaj|wspomin|zawier|mów|określ"
    rf"|wymieni|precyz)\w*\b",
)
_ZH_SOURCE = r"(?:上下文|文档|文件|文中|文本|资料|資料|段落|文章|材料|内容|內容|原文|报告|手册|说明书|信息|片段|参考)"
CHINESE = (
    rf"{_ZH_SOURCE}[^。，]{{0,20}}(?:没有|沒有|并未|並未|未曾|从未|未|不曾)(?:明确|明確|具体|直接)?(?:提到|提及|说明|說明|给出|給出|提供|指出|注明|列出|涉及|记载|載明"
    rf"|交代)",
    rf"{_ZH_SOURCE}.{{0,40}}(?:没有|沒有|未|并未)(?:明确|具体)?(?:给出|提供|提到|提及|说明|列出)",
    r"(?:无法|無法|不能|难以)(?:从[^。]{0,20})?(?:回答|确定|確定|得知|判断|获知|確認)|不得而知|(?:我)?不(?:太)?清楚(?:这|该|答案|$)|信息不足|資訊不足|没有找到(?:相关"
    r"|任何|关于)"
    r"|(?:没有|沒有)(?:关于|關於)[^。，]{0,20}(?:的)?(?:信息|資訊|资料|内容)",
)
JAPANESE = (
    r"(?:確認|特定|判断|回答|お答え|確定|把握|判別)(?:すること(?:は|が))?(?:は)?(?:でき|出来|いたしかね|しかね)(?:ま|ない|て)",
    r"(?:情報|資料|文脈|文書)[^。]{0,30}(?:提供|記載|掲載)されていま?せん",
    r"(?:触れられて|言及されて|明記されて|示されて|書かれて|述べられて|記載されて|記されて|含まれて|説明されて|載って|記述されて)(?:は)?い(?:ません|ない)|(?:言及|記載|記述|説明|情報|手がかり"
    r"|記録)(?:が|は|も)"
    r"(?:ありません|ございません|見当たりません|見つかりません|ない(?:ため|ので)|含まれて)|見当たりません(?:でした)?|見つかりません(?:でした)?|(?:存じ|知り|分かり|わかり)(?:上げ)?ません"
    r"|情報(?:が|は)不足"
    r"|(?:資料|文書|文脈|本文|記事)(?:から|で)は(?:不明|分かり|わかり)",
)
KOREAN = (
    r"(?:명시|언급|기재|기록|제시|설명|서술)(?:되어|돼|하고|되지|하지)? ?(?:있지 않|않|안 되)"
    r"|(?:찾을|알|확인할|답변할|답할|대답할|판단할) 수(?:가|는)? 없"
    r"|(?:나와|적혀"
    r"|나타나) ?있지 않|모르겠|모릅니다|알지 못"
    r"|(?:정보|언급|내용|기록|자료|설명)(?:가|이|은|는|도)? ?(?:전혀 |충분히 )?"
    r"(?:없습|없어|없다|없으|없는|부족|충분하지)",
)
CYRILLIC = (
    r"(?:контекст|текст|документ|источник|отрывк|материал|фрагмент|инструкци|отч[её]т|стать)\w*\b.*\b(?:не|ничего не"
    r"|нигде не) (?:\w+ )?(?:указ|упом|сказа|содерж"
    r"|говор|привод|привед|сообща|раскры|уточня|назва|описан)\w*",
    r"\bне (?:указан|упомянут|упоминается|приведен|приведён|сообщается|названа?|раскрыва)\w*\W*(?:$|в |,)"
    r"|\bничего не (?:говорится|сказано|сообщается|известно)\b|\bинформаци\w+\b.*\bотсутству\w+",
    r"\b(?:нет|недостаточно|отсутству\w+) (?:\w+ ){0,2}(?:информаци\w+|данных|сведений|упоминани\w+)\b"
    r"|\b(?:я )?не (?:знаю|могу (?:\w+ )?(?:ответить|сказать|найти|определить)|наш[её]л|нашла)\b"
    r"|\bне располагаю\b|\bне удалось найти\b",
    r"\b(?:немає|нема|бракує|недостатньо|відсутн\w+) (?:\w+ ){0,2}(?:інформаці\w+|даних|відомостей|згадк\w+)\b"
    r"|\bне (?:вказано|зазначено|згадано|сказано|згадується|наведено|йдеться|говориться)\b"
    r"|\b(?:я )?не (?:знаю|можу (?:\w+ )?(?:відповісти|сказати|знайти|визначити)|знайш\w+)\b"
    r"|\bне маю (?:\w+ ){0,2}(?:інформаці\w+|даних|відомостей)\b|\bнічого не (?:сказано|говориться)\b"
    r"|\bне міст(?:ить|ять)\b.*\bінформаці\w+",
)
ARABIC = (
    r"لا (?:أعرف|أعلم|أدري|أملك|علم لي)|(?:لا|لم) (?:أجد|أعثر|أتمكن|أستطيع|يمكنني|يمكن|تتوفر"
    r"|يتوفر) ?(?:\S+ ){0,3}(?:معلوم|إجاب|العثور|تحديد|الإجابة|ذكر|الإجابه)"
    r"|(?:لا|لم) (?:تحتوي|يحتوي|تتضمن|يتضمن|توجد|يوجد|تقدم|يقدم) (?:\S+ ){0,4}(?:معلوم|إشار|ذكر|تفاصيل|بيانات)",
    r"(?:لم|لا) (?:يذكر|تذكر|يرد|ترد|يحدد|تحدد|يوضح|توضح|يشر|تشر|يشير|تشير)\b|غير (?:مذكور|محدد|متوفر|موضح)",
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
# (what all phrases of a group hold one of, the phrases); found faster.
GROUPS = (
    (r"nich|kein|fehl|unmög|schwei|offen|unerw|ungen|nirgend|\bnie\b", GERMAN),
    (r"\bn[e']|aucun|\brien\b|impos|ignore|insuff", FRENCH),
    (r"\bno\b|ning[uú]n|\bnada\b|impos|insufic|descono|no me", SPANISH),
    (r"\bnon\b|nessun|\bnulla\b|impos|insuff", ITALIAN),
    (r"não|nenhum|\bnada\b|impos|insufic|desconh", PORTUGUESE),
    (r"niet|geen|onmog|onvol|niets|nergens", DUTCH),
    (r"\bnie\b|\bbrak\b|\bnic\b|żad", POLISH),
    (r"[\u3400-\u9fff]", (*CHINESE, *JAPANESE)),
    (r"[\uac00-\ud7af]", KOREAN),
    (r"[\u0400-\u04ff]", CYRILLIC),
    (r"[\u0600-\u06ff]", ARABIC),
    (r"[^\x00-\u024f]", OTHER_SCRIPTS),
    *MORE,
)

"""What an answer that declines says in languages with a few phrases each: the commonest ways that models decline in.

Each has the same five: I do not know; I cannot answer; I found nothing; there is no information; it is not mentioned.
"""

from __future__ import annotations

SCANDINAVIAN = (
    r"\b(?:jag vet|vet jag|det vet jag|jeg ved|jeg vet|det ved jeg|det vet jeg) (?:\w+ ){0,2}(?:inte|ikke|ikkje)\b",
    r"\b(?:kan|kunde|kunne) (?:jag|jeg|vi|inte|ikke) (?:\w+ ){0,4}(?:inte |ikke )?(?:svara|svare|besvara|besvare"
    r"|hitta|finde"
    r"|finne|säga|sige|si|avgöra|afgøre|avgjøre)\b",
    r"\b(?:jag|jeg|vi) (?:kan|kunde|kunne) (?:\w+ ){0,3}(?:inte|ikke) (?:\w+ ){0,4}(?:svara|svare|besvara|besvare"
    r"|hitta|finde|finne"
    r"|säga|sige|si)\b|\b(?:hittade|hittar|fandt|finder|fant|finner) (?:jag |jeg )?(?:\w+ ){0,2}(?:ingen|inga|inget"
    r"|intet|ikke|inte)\b",
    r"\b(?:ingen|inga|ikke nogen|ikke noen|inte någon) (?:\w+ ){0,2}(?:information|informationen|informasjon"
    r"|uppgift\w*"
    r"|oplysning\w*|opplysning\w*|svar)\b",
    r"\b(?:framgår|fremgår) (?:\w+ ){0,3}(?:inte|ikke)\b|\b(?:nämns|anges|omtalas|nævnes|angives|omtales|nevnes"
    r"|oppgis|oplyses|står)"
    r" (?:\w+ ){0,3}(?:inte|ikke|ingenstans|ingen steder)\b",
    r"\b(?:texten|dokument\w*|underlaget|källor\w*|teksten|kilder\w*|utdrag\w*|rapport\w*|sammanhanget"
    r"|kontekst\w*) (?:\w+ ){0,2}"
    r"(?:nämner|anger|säger|innehåller|nævner|angiver|siger|indeholder|nevner|oppgir|sier|inneholder|beskriver)\b.*"
    r"\b(?:inte|ikke|ingen|inget|ingenting|intet|inga)\b",
    r"\b(?:finns|findes|finnes|står) (?:inte|ikke) i (?:text|tekst|dokument|underlag|materiale?t|sammanhang"
    r"|kontekst)\w*\b",
    r"\b(?:är|er) (?:\w+ )?(?:inte|ikke) (?:\w+ )?(?:angiv\w+|nämn\w+|angett|nævnt|oplyst|nevnt|oppgitt)\b",
)
FINNISH = (
    r"\ben tiedä\b|\ben (?:voi|pysty|osaa) (?:\w+ ){0,4}(?:vasta\w*|sano\w*)\b|\ben löytänyt\b|\bei (?:löydy"
    r"|löytynyt|ilmene|käy ilmi)\b",
    r"\bei (?:ole |sisällä )?(?:\w+ ){0,3}(?:mainita|mainittu|kerrota|kerro|tietoa|tietoja|mainitse|kuvata"
    r"|ilmoiteta)\b",
)
TURKISH = (
    r"\bbilmiyorum\b|\bbilgim yok\b|\b(?:cevap|yanıt)\w* (?:ver|bul)[ae]m\w+\b|\b(?:cevapla|yanıtla)yam\w+\b"
    r"|\bbulamadım\b",
    r"\b(?:bilgi|bilgiler|cevap|yanıt) (?:\w+ ){0,2}(?:yok|bulunmuyor|bulunmamakta\w*|yer almıyor|verilmemiş\w*"
    r"|mevcut değil\w*|içermiyor)\b",
    r"\b(?:belirtilme|bahsedilme|verilme|açıklanma|anılma|yer alma|geçme)(?:miş|mekte|mektedir|mıyor|miyor|mış)\w*\b"
    r"|\b(?:belirtilmiyor|bahsedilmiyor|yer almıyor|söylenmiyor|geçmiyor|bahsetmiyor|belirtmiyor|içermiyor)\b",
    r"\b(?:söylemek|belirlemek|cevaplamak|yanıtlamak) mümkün değil\b",
)
CZECH_AND_SLOVAK = (
    r"\bnevím\b|\bneviem\b|\bnemohu\b.*\b(?:odpovědět|najít|říci|určit)\b|\bnemôžem\b.*\bodpovedať\b"
    r"|\bnelze (?:\w+ ){0,3}(?:odpovědět"
    r"|určit|zjistit|říci)\b|\bnenašel\w?(?: jsem)?\b|\bnenašiel som\b",
    r"\b(?:není|nejsou|nie je|nie sú|nebyl\w*) (?:\w+ ){0,4}(?:uveden\w*|zmíněn\w*|informac\w*|popsán\w*|spomenut\w*"
    r"|specifikován\w*)\b"
    r"|\b(?:neuvád\w+|nezmiňuj\w+|neobsahuj\w+|neříká|neuvádza)\b|\b(?:chybí|chýba\w*"
    r"|nemám) (?:\w+ ){0,2}(?:informac\w+|inform[aá]ci\w+|údaj\w*)\b",
    r"\b(?:text|dokument|zdroj|kontext|materiál|zpráv)\w*\b.*\b(?:není|nejsou)\b.*\b(?:uveden|zmíněn|obsažen)\w*\b",
)
HUNGARIAN_ROMANIAN_GREEK = (
    r"\bnem tudom\b|\bnem tudok\b.*\bválaszol\w+\b|\bnem (?:található|szerepel|derül ki|említi|tartalmaz\w*"
    r"|említik)\b|\bnincs (?:\w+ ){0,3}információ\w*\b",
    r"\bnu (?:știu|pot răspunde|am găsit|sunt (?:\w+ )?informații|există (?:\w+ )?informații"
    r"|este (?:\w+ )?(?:menționat|specificat|precizat)\w*"
    r"|menționează|conțin\w*|specifică)\b",
    r"δεν (?:γνωρίζω|ξέρω|μπορώ να (?:απαντήσω|βρω)|υπάρχ\w+ (?:\w+ )?πληροφορί\w+|αναφέρ\w+|περιέχ\w+|βρήκα"
    r"|προκύπτει|προσδιορίζ\w+)",
)
SOUTH_EAST_ASIAN = (
    r"\b(?:tôi )?không biết\b|\bkhông (?:có|tìm thấy|đủ) (?:\w+ ){0,2}(?:thông tin|dữ liệu|câu trả lời)\b"
    r"|\bkhông thể (?:\w+ )?(?:trả lời|xác định)\b"
    r"|\bkhông (?:\w+ )?(?:đề cập|nêu|nói|cung cấp|ghi rõ|nhắc)\b",
    r"\b(?:saya )?tidak (?:tahu|mengetahui)\b|\btidak (?:ada|terdapat|menemukan|memiliki"
    r"|cukup) (?:\w+ ){0,2}(?:informasi|data|jawaban|keterangan)\b"
    r"|\btidak (?:dapat|bisa) (?:\w+ )?(?:menjawab|menentukan|menemukan|memastikan)\b|\btidak (?:\w+ )?(?:disebutkan"
    r"|menyebutkan|dijelaskan|mencantumkan"
    r"|tercantum|dicantumkan)\b",
)
HEBREW_AND_HINDI = (
    r"(?:אני )?לא יודע|אינני יודע|לא ניתן (?:לענות|לקבוע|לדעת)|(?:אין|לא נמצא|לא מצאתי|חסר)\S* (?:\S+ ){0,3}מידע"
    r"|לא (?:מצוין|מוזכר|צוין|מופיע|נאמר|מציינ)"
    r"|(?:לא יכול|לא אוכל|איני יכול)\S* (?:\S+ )?לענות|אינם (?:מציינים|מזכירים|כוללים)|אינו (?:מציין|מזכיר|כולל)",
    r"(?:मुझे|मैं) (?:\S+ )?(?:नहीं पता|पता नहीं|नहीं जानता|नहीं जानती)|(?:जानकारी|सूचना|उल्लेख|विवरण"
    r"|उत्तर) (?:\S+ ){0,3}नहीं|उत्तर नहीं (?:दे|दिया)"
    r"|(?:उल्लेख|बताया|दिया|लिखा) नहीं (?:है|गया|किया)|नहीं (?:बताया|दिया) गया|नहीं बताते",
)
# Each list with what all its phrases hold one of; found faster.
MORE = (
    (r"\b(?:inte|ikke|ikkje|ingen|inga|inget|intet|ingenting)\b", SCANDINAVIAN),
    (r"\be[in] ", FINNISH),
    (r"miyor|mıyor|muyor|\byok\b|değil|mam|mem|madım|medim|m[ei]ş|m[aı]mış|mekte|makta|ilmemiş", TURKISH),
    (r"\bne[a-zíěšč]|není|\bnie\b|chyb|chýb", CZECH_AND_SLOVAK),
    (r"\bnem\b|\bnincs\b|\bnu\b|δεν", HUNGARIAN_ROMANIAN_GREEK),
    (r"không|\btidak\b", SOUTH_EAST_ASIAN),
    (r"[\u0590-\u05ff\u0900-\u097f]", HEBREW_AND_HINDI),
)

"""Names of fields in other languages: the English word for each, so that one vocabulary serves all."""

from __future__ import annotations

import re
import unicodedata

_LANGUAGES = (  # behind "question" in question_de; not "id"
    "en de fr es it pt nl pl ru uk uz kk tr az ar fa he ur hi bn ta te mr gu ml th vi ms tl zh ja ko mn my km cs sk "
    "hu ro bg sr hr sl el sv da no nb fi et lv lt ka hy sw am yo ha zu af ca eu gl ga cy is sq mk be ne si english "
    "german french spanish italian portuguese dutch russian ukrainian uzbek turkish arabic persian hindi chinese "
    "japanese korean")
LANGUAGES = frozenset(_LANGUAGES.split())

# Parts of names in scripts that write words without blanks; longer ones first.
_UNSPACED = {
    "问题": "question", "查询": "query", "答案": "answer", "回答": "answer", "答复": "answer", "参考": "reference",
    "标准": "gold", "正确": "correct", "模型": "model", "系统": "system", "生成": "generated", "检索": "retrieved",
    "召回": "retrieved", "结果": "result", "上下文": "context", "文档": "document", "相关": "relevant",
    "内容": "content", "来源": "source", "得分": "score", "分数": "score", "评分": "rating", "排名": "rank",
    "期望": "expected", "预期": "expected", "相似度": "similarity", "片段": "chunk", "编号": "id", "序号": "id",
    "質問": "question", "問題": "question", "クエリ": "query", "正解": "gold answer", "正答": "gold answer",
    "解答": "answer", "期待": "expected", "参照": "source", "文書": "document", "ドキュメント": "document",
    "資料": "document", "出典": "source", "検索": "retrieved", "モデル": "model", "スコア": "score",
    "類似度": "similarity", "順位": "rank", "関連": "relevant", "文脈": "context", "コンテキスト": "context",
    "本文": "text",
    "關聯": "relevant", "檢索": "retrieved", "參考": "reference", "標準": "gold", "文檔": "document",
    "질문": "question", "질의": "query", "정답": "gold answer", "답변": "answer", "응답": "answer", "기대": "expected",
    "모델": "model", "생성": "generated", "검색": "retrieved", "결과": "result", "문서": "document", "출처": "source",
    "점수": "score", "유사도": "similarity", "순위": "rank", "내용": "content", "본문": "text", "문맥": "context",
    "컨텍스트": "context", "관련": "relevant", "번호": "id", "아이디": "id",
    "耗时": "latency", "响应时间": "latency", "応答時間": "latency", "処理時間": "latency", "응답시간": "latency",
    "텍스트": "text", "이미지": "image", "평가": "evaluation",
    "提问": "question", "题目": "question", "理想": "ideal", "真实": "true", "预测": "predicted", "原文": "text",
    "段落": "passage", "文件": "file", "证据": "evidence", "出处": "source", "引用": "citation", "输出": "output",
    "提問": "question", "題目": "question", "來源": "source", "預期": "expected", "正確": "correct", "系統": "system",
    "內容": "content", "結果": "result", "評分": "rating", "編號": "id", "相關": "relevant", "預測": "predicted",
    "設問": "question", "模範": "gold", "想定": "expected", "根拠": "evidence", "ファイル": "file",
    "チャンク": "chunk", "ページ": "page", "出力": "output",
    "근거": "evidence", "참고": "reference", "참조": "reference", "청크": "chunk", "파일": "file", "페이지": "page",
    "예상": "expected", "실제": "actual", "문단": "passage",
    "คำถาม": "question", "คำตอบ": "answer", "บริบท": "context",
    "प्रश्न": "question", "सवाल": "question", "उत्तर": "answer", "जवाब": "answer", "संदर्भ": "context",
    "প্রশ্ন": "question", "উত্তর": "answer",
}
_UNSPACED_PARTS = re.compile("|".join(sorted(_UNSPACED, key=len, reverse=True)))
# Vietnamese and Indonesian terms of several words, without accents.
_PHRASES = {
    "cau hoi": "question", "cau tra loi": "answer", "tra loi": "answer", "dap an dung": "gold answer",
    "dap an": "answer", "truy van": "query",
    "ngu canh": "context", "tai lieu": "document", "van ban": "text", "noi dung": "content", "doan van": "passage",
    "ket qua": "result", "lien quan": "relevant", "tham chieu": "reference", "tham khao": "reference",
    "mo hinh": "model", "he thong": "system", "mong doi": "expected", "ky vong": "expected", "truy xuat": "retrieved",
    "trich dan": "citation", "bang chung": "evidence", "do kho": "difficulty", "kunci jawaban": "gold answer",
    "punto de referencia": "reference", "verite terrain": "ground truth",
}
_BY_LETTERS = {phrase.replace(" ", ""): english for phrase, english in _PHRASES.items()}
_PHRASE_PARTS = re.compile(rf"(?<![a-z])({'|'.join(_PHRASES).replace(' ', '[ _-]?')})(?![a-z])", re.IGNORECASE)
_LETTERS = str.maketrans({"Đ": "D", "đ": "d", "ł": "l", "Ł": "L", "ı": "i", "ø": "o", "Ø": "O", "ß": "ss", "æ": "ae"})
_WORDS = {
    "question": "frage fragen pregunta preguntas pergunta perguntas domanda domande vraag fraga sporsmal pytanie "
                "вопрос вопросы soru otazka pertanyaan soal questao questoes вопроса запитання питання vragen "
                "fragor sual سؤال السؤال سوال",
    "query": "anfrage suchanfrage consulta requete zapytanie запрос sorgu kueri sorgusu запросы poizvedba requetes "
             "consultas",
    "answer": "antwort antworten respuesta respuestas resposta respostas reponse reponses risposta risposte "
              "antwoord ответ ответы cevap yanit odpowiedz svar odpoved losung loesung jawaban ответа відповідь "
              "відповіді cevabi cevaplar odpowiedzi antwoorden svaret إجابة الإجابة اجابة الاجابة جواب الجواب پاسخ",
    "say": "sagt sagte dit dice diz zegt",
    "expected": "attendu attendue attendus attendues erwartet erwartete erwarteter erwartetes erwarteten esperada "
                "esperado esperadas esperados attesa atteso attesi attese verwacht verwachte ожидаемый ожидаемые "
                "beklenen oczekiwana soll erwartung attente oczekiwany oczekiwane ожидаемая ожидаемое ожидаемого "
                "diharapkan harapan esperadas очікувана очікуваний forvantat ocekavana",
    "actual": "ist tatsachliche tatsachlicher tatsachlich tatsaechliche obtenue obtenues obtenida obtenidas obtida "
              "obtidas ottenuta ottenute reelle",
    "correct": "richtig richtige richtiger richtiges korrekt korrekte korrektes correcta correcto correctas "
               "correctos correta correto corretta corretto corretti juiste correcte bonne правильный эталонный "
               "dogru poprawna benar poprawny poprawne верный верная правильная правильные эталонная dogrusu "
               "spravna",
    "gold": "muster gabarito wzorcowa wzorcowy",
    "reference": "referenz referencia riferimento referentie эталон referans referensi rujukan referencyjna "
                 "referencyjny эталонные referenca referenties",
    "relevant": "relevante relevantes relevanter pertinent pertinente pertinents pertinentes rilevante rilevanti "
                "релевантные ilgili relevan istotne релевантный релевантных pertinenti",
    "retrieved": "trouve trouves trouvee trouvees recupere recuperes recuperee recuperees retrouve retrouves "
                 "gefunden gefundene gefundenes gefundener abgerufen abgerufene recuperado recuperados recuperada "
                 "recuperadas encontrado encontrados encontrada recuperato recuperati recuperata trovato trovati "
                 "gevonden opgehaald opgehaalde найденный найденные найденных bulunan getirilen znalezione diambil "
                 "ditemukan pobrane znaleziony извлеченные извлечённые hentede",
    "generated": "generee genere generiert generierte generada generado gerada gerado generata generato gegenereerd "
                 "сгенерированный uretilen",
    "system": "systeme sistema система sistem",
    "model": "modele modell modelo modello модель модели ki ia",
    "result": "resultat resultats ergebnis ergebnisse treffer resultado resultados risultato risultati resultaat "
              "результат результаты sonuc sonuclar hasil wyniki результатов",
    "document": "dokument dokumente documento documentos documenti documenten документ документы belge belgeler "
                "dokumenty dokumen документов",
    "source": "quell quelle quellen fuente fuentes fonte fontes fonti bron bronnen источник источники kaynak "
              "kaynaklar sumber zrodlo zrodla джерело джерела источника nguon kaynagi مصدر المصدر",
    "file": "datei dateien fichier fichiers archivo archivos arquivo файл berkas plik файла dosya",
    "article": "madde maddeler maddeleri",
    "passage": "abschnitt abschnitte pasaje pasajes passaggio passaggi fragmento fragmentos frammento фрагмент "
               "fragmente textauszug auszug textstelle textstellen trecho trechos фрагменты "
               "fragmenty paragraf akapit kutipan extrait extraits",
    "context": "kontext kontexte contexto contextos contesto contesti contexte contextes контекст baglam konteks "
               "kontekst kontekstas контекста контексты سياق السياق",
    "text": "texte textes texto textos testo testi tekst текст metin teks tresc текста",
    "content": "inhalt inhalte contenu contenido conteudo contenuto содержание icerik",
    "score": "punkte punktzahl puntuacion pontuacao punteggio оценка skor puntaje nilai puan wynik",
    "similarity": "ahnlichkeit aehnlichkeit similarite similitud similaridade somiglianza similarita сходство",
    "rank": "rang posicion posicao posizione platz ранг rangfolge urutan peringkat sira siralama miejsce",
    "faithfulness": "fidelidad fidelite fidelidade fedelta treue faktentreue",
    "correctness": "exactitud exactitude korrektheit correttezza exatidao",
    "relevance": "relevanz pertinenza relevancia rilevanza relevantie релевантность",
    "rating": "bewertung calificacion avaliacao valutazione",
    "latency": "antwortzeit laufzeit latenz latencia latence latenza",
    "category": "kategori categoria categorie kategorie категория kategoria",
    "chunk": "чанк чанки чанка",
    "evidence": "evidencia bukti dowod preuve preuves beleg belege",
    "id": "kennung identificador identifiant identificativo",
}
_ENGLISH = {word: english for english, others in _WORDS.items() for word in others.split()}
_JOINED = re.compile(  # two English words without a mark between them: goldstandard, modelanswer, questionid
    r"(gold(?:en)?|expected|correct|reference|ideal|relevant|actual|generated|predicted|retrieved|retrieval|model|"
    r"system|bot|llm|rag|query|question|answer|response|context|chunk|passage|document|user)"
    r"(standard|truth|answers?|responses?|outputs?|contexts?|documents?|docs?|chunks?|passages?|texts?|ids?|"
    r"quer(?:y|ies)|questions?|inputs?|sources?|results?|scores?|files?|pages?|key)")
_COMPOUND = re.compile(r"(\w{3,}?)(antwort|losung|loesung|frage|dokumente?|quellen?|ergebnisse?|treffer|texte?)")


def in_english(name: str) -> str:
    """The name without accents, and with blanks around translated parts of scripts that write without blanks."""
    if name.isascii():
        return _PHRASE_PARTS.sub(_translated_phrase, name)
    name = _UNSPACED_PARTS.sub(lambda match: f" {_UNSPACED[match[0]]} ", name)
    plain = "".join(unicodedata.normalize("NFD", char)[0] if "\u00c0" <= char < "\u0250" or "\u1e00" <= char < "\u1f00"
                    else char for char in unicodedata.normalize("NFC", name))
    return _PHRASE_PARTS.sub(_translated_phrase, plain.translate(_LETTERS))


def _translated_phrase(match: re.Match[str]) -> str:
    return f" {_BY_LETTERS[re.sub('[ _-]', '', match[0]).lower()]} "


def english_words(word: str) -> list[str]:
    """The English word for a lowercase word, several for a compound; the word itself where none is known."""
    if word in _ENGLISH:
        return [_ENGLISH[word]]
    compound = _COMPOUND.fullmatch(word)
    if compound and compound[2] in _ENGLISH:
        first = compound[1].rstrip("s") if compound[1].rstrip("s") in _ENGLISH else compound[1]
        return [_ENGLISH.get(first, first), _ENGLISH[compound[2]]]
    joined = _JOINED.fullmatch(word)
    if joined:
        return [joined[1], joined[2]]
    return [word]

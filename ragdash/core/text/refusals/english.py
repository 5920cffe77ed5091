"""What an English answer that declines says, in lower case with straight apostrophes."""

from __future__ import annotations

INFORM, INFORMED = "tell", "told"
_SOURCE = (r"(?:contexts?(?! (?:window|switch|length|size))|documents?|documentation|passages?|texts?"
           r"|(?:re)?sources?|information|excerpts?|articles?"
           r"|materials?|snippets?|chunks?|description|extracts?|search results|results|knowledge base|content"
           r"|paragraphs?|references?"
           r"|pages?)")
_REPORT = (rf"(?:{_SOURCE}|reports?|papers?|filings?|manuals?|handbooks?|sections?|chapters?|transcripts?|files?"
           r"|leaflets?|brochures?|booklets?|guides?|notes|data ?sheets?|sheets?|letters?|memos?|tables?|records?"
           r"|timetables?|roadmaps?|catalogs?|summar(?:y|ies)|minutes|entries|entry|interviews?)")
_ASKED = r"(?:who|whom|whose|what|when|where|why|how|which|whether|if)\b"
_NOT = r"(?:does not|doesn't|do not|don't|did not|didn't|never|fails? to|failed to|cannot|can't)"
_UP_TO_3, _UP_TO_5 = r"(?:[\w'-]+ ){0,3}", r"(?:[\w'-]+ ){0,5}"
_TELL = (rf"(?:answers?|mentions?|specif(?:y|ies)|states?|says?|{INFORM}s?(?: us| me)?|address(?:es)?|discuss(?:es)?"
         r"|covers?"
         r"|indicates?|explains?|clarif(?:y|ies)|refers? to|describes?|discloses?|reveals?|talks? about|deals? with"
         r"|lists?|names?|counts?|identif(?:y|ies)|cites?|provide|contain|include|give|offer|have|support"
         r"|allow (?:me|us) to"
         r"|(?:appear|seem) to)")
_ACT = (rf"(?:answer|find|determine|provide|{INFORM}|give|say|locate|help|assist|confirm|verify|identify|comply"
        rf"|conclude"
        r"|respond|see|infer|specify|address|offer|know|be (?:sure|certain|able to))")
_CONTENT = (r"(?:information|info|answer|mention|details?|indication|reference|evidence|data|context|statement"
            r"|knowledge)")
_BE = r"(?:is|are|was|were|has been|have been|remains?|isn't|aren't|wasn't|weren't)"
_SAID = (r"(?:stated|mentioned|specified|said|clear|known|reported|explained|recorded|documented|indicated|disclosed"
         r"|described|given|named|addressed|covered|discussed|provided|listed|defined|spelled out|identified)")
_GIVEN = (r"(?:provided|mentioned|specified|stated|available|given|found|included|disclosed|addressed|covered|listed"
          r"|discussed|described|contained|indicated|present|answered|explained|reported|named|identified|explicit)")
_THIS = (r"(?:this|that|it|the (?:answer|question|information|requested information)|your question"
         r"|such (?:\w+ )?information)")

ENGLISH = (
    # The sources lack it.
    rf"\b{_SOURCE} {_UP_TO_5}{_NOT} (?!just|only|merely|simply)(?:\w+ ){{0,2}}{_TELL}\b",
    rf"\b{_REPORT} (?:(?!she\b|he\b|we\b)[\w'-]+ ){{0,3}}{_NOT} (?:\w+ )?(?:mention|specify|state|say|{INFORM}"
    rf"|disclose"
    rf"|reveal"
    rf"|indicate|address)\b",
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
    rf"\bnothing (?:\w+ ){{0,2}}in {_UP_TO_3}{_SOURCE}\b|^\W*there is nothing (?:about"
    rf"|on) .* in {_UP_TO_3}{_SOURCE}\b",
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
    rf"\b(?:it is|it's|is) (?:not possible|impossible) (?:for me )?to (?:\w+ )?(?:answer|determine|say|{INFORM}|know"
    r"|infer"
    r"|conclude)\b",
    rf"^\W*(?:unable|not possible|impossible) to (?:\w+ )?{_ACT}\b",
    # It is not there.
    rf"\b(?:there is|there's|there was|there are|there isn't|there aren't|there's not) (?:no|not|not enough"
    rf"|insufficient"
    rf"|any|enough)\b {_UP_TO_3}(?:information|answer|mention|details?|context|indication|data|reference)\b",
    rf"\b(?:no|not enough|insufficient) (?:\w+ )?(?:information|context|details?|mention|evidence|indication|answer) "
    rf"(?:for this |of this |about this )?(?:{_BE} )?(?:\w+ )?(?:provided|given|found|available|about|on|regarding"
    rf"|concerning|to (?:answer|determine|say|{INFORM})|in {_UP_TO_3}{_REPORT})\b",
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
    # What is asked for is said to be missing, whatever the sources are called.
    r"^\W*(?:un|not )answerable\b",
    r"\bthere(?:'s| is| are| was| were) (?:no|nothing|not|none)\b.* (?:in|among|within) (?:the|these|this|those|my"
    r"|your|any of the"
    r"|what) (?:\w+ ){0,3}(?:contexts?|documents|passages?|excerpts?|texts?|sources|snippets?|extracts?|materials?"
    r"|(?:i was|i've been|i have been) given)\b",
    r"^\W*there(?:'s| is| was) nothing (?:here )?(?:for|on|about|regarding)\b",
    rf"\bnothing (?:\w+ ){{0,2}}in {_UP_TO_3}{_REPORT}\b|\bnone of (?:this|that|these|those|them|it) (?:{INFORM}s?"
    rf"|says?"
    r"|answers?|mentions?|explains?|address(?:es)?|states?|names?|specif(?:y|ies))\b",
    rf"\b(?:left out of|missing from|absent from|omitted from|redacted (?:from|in)) {_UP_TO_3}{_REPORT}\b",
    r"\b(?:is|are|was|were|has been|have been) redacted\b",
    rf"\b(?:(?:it is|it's|that is|is|was|are|were|remains?) (?:not|nowhere|never)|isn't|wasn't"
    rf"|aren't) (?:\w+ly )?{_SAID} {_ASKED}",
    rf"\b(?:it is|it's|it remains|remains) (?:\w+ly )?(?:unclear|unknown|unspecified|uncertain|unstated|undisclosed)"
    rf"(?: from .{{1,40}})? {_ASKED}",
    rf"^\W*(?:[\w'-]+ ){{1,5}}(?:is |are |was |were )?not (?:\w+ly )?{_SAID}\W*$|: (?:not"
    rf"|never) (?:\w+ly )?{_SAID}\W*$",
    r"\b(?:is|are|was|were|has been|have been|be) (?:never|nowhere) (?:\w+ly )?(?:mentioned|stated|specified|given"
    r"|named|indicated"
    r"|disclosed|explained|reported|described|defined|addressed)\b",
    rf"\b(?:it|they|the authors?) {_NOT} (?:\w+ly )?(?:say|state|mention|specify|{INFORM}|indicate|disclose|reveal"
    rf"|explain|report)"
    rf"(?: us| me)? {_ASKED}",
    rf"\b(?:it|they|{_REPORT}) (?:\w+ ){{0,3}}(?:is|are|remains?) (?:\w+ )?(?:silent|mute|unclear|vague) (?:on|about"
    rf"|as to|regarding"
    rf"|in this)\b",
    rf"\b(?:isn't|is not|wasn't|was not|aren't|are not) (?:\w+ )?(?:something|anything|a (?:detail|point|question)) .*"
    rf"\b(?:{_REPORT}|i (?:can|could|found|know))\b",
    rf"\b{_REPORT} (?:(?!she\b|he\b|they\b|we\b|i\b|it\b)[\w'-]+ ){{0,4}}{_NOT} (?!just|only|merely"
    rf"|simply)(?:\w+ly )?(?:mention|specify|state|say|{INFORM}|disclose|reveal"
    rf"|indicate|address|describe|name|explain|discuss|report|list|define)\b",
    rf"\b{_REPORT} {_UP_TO_5}(?:gives?|names?|states?|mentions?|provides?|lists?|offers?) no (?!reason|doubt|grounds"
    rf"|warranty|guarantee)[\w-]+",
    rf"\b(?:{_REPORT}|it|they) {_UP_TO_5}(?:contains?|includes?|has|have|holds?|makes?|shows?|gives?) no {_UP_TO_3}"
    rf"(?:{_CONTENT}|figures?|dates?|numbers?|values?|names?|prices?|words?|clues?|hints?|entry|entries|trace)\b",
    rf"\b{_REPORT} {_UP_TO_3}(?:leaves?|left) (?:it|this|that|{_UP_TO_5}) ?(?:open|out|unanswered|unclear)\b",
    rf"\b{_REPORT}\b.*\b(?:says?|said|{INFORM}s?|reveals?) (?:nothing|little|not a word)\b",
    rf"\bnowhere to be found in (?:it|them|{_UP_TO_3}{_REPORT})\b|\bnowhere (?:in|does|do) {_UP_TO_3}{_REPORT}\b"
    rf"|^\W*no mention of\b",
    r"\b(?:did not|didn't|does not|doesn't|do not|don't) come up\W*$",
    r"\b(?:is|are|was|were) (?:left open|not part of (?:the|what|my|this)|no part of (?:the|what))\b",
    rf"\bnot (?:\w+ )?(?:part of|among|in|contained in|found in|covered by|covered in|listed in|included in) (?:the"
    rf"|these|this|those"
    rf"|any of the|what) (?:\w+ ){{0,3}}(?:{_REPORT}|(?:i was|i've been|i have been) given|(?:substances|topics"
    rf"|items) "
    rf"(?:discussed|listed|covered))\b",
    rf"\b{_NOT} (?:appear|occur|figure|feature|turn up|show up) (?:anywhere )?in (?:the|these|this"
    rf"|any of the) (?:\w+ ){{0,2}}{_REPORT}\b",
    r"^\W*no (?:relevant |useful |matching |suitable )?(?:documents?|passages?|sources?|results?"
    r"|context) (?:\w+ ){0,2}(?:were |was "
    r"|have been )?(?:retrieved|found|available|provided|returned)\b",
    # The writer lacks it, in more words.
    rf"\b(?:i|we)(?:'ve| have|'ve got| have got| possess|'ve been given) (?:no|zero|nothing) {_UP_TO_3}(?:{_CONTENT}"
    rf"|documentation"
    rf"|documents?|records?|sources?|figures?|numbers?|way of knowing|means|clue)\b",
    r"\b(?:i|we) (?:\w+ )?lack (?:the )?(?:\w+ )?(?:information|data|context|details?|knowledge|sources?|material)\b",
    rf"\bi wish i could (?:help|answer|{INFORM}|say)\b|\bi(?:'d| would) (?:only )?be (?:guessing|speculating)\b",
    r"\b(?:would|'d) be (?:pure |mere )?(?:speculation|guesswork|a guess)\b",
    rf"\b(?:i|we)(?: would|'d| will|'ll)? (?:need|require)\b.* (?:to (?:answer|say|{INFORM}|be able)"
    rf"|in order to answer)\b",
    r"\b(?:i|we) (?:do not|don't) (?:\w+ )?(?:see|have) (?:a|an|any|the) (?:\w+ )?(?:file|attachment|document|image"
    r"|link|table)\b",
    r"\b(?:provide|share|upload|send) (?:\w+ ){0,2}(?:more|additional|further|the) (?:context|information|details?"
    r"|documents?)\b.*\b"
    r"(?:so (?:that )?i can|to (?:answer|help))\b",
    r"\b(?:is not|isn't|'s not) something (?:i|we) (?:can|am able to|are able to)\b|\b(?:i|we)(?:'m| am|'re"
    r"| are) not (?:permitted"
    r"|allowed|authori[sz]ed) to (?:discuss|share|answer|disclose|say|provide)\b",
    rf"\b{_REPORT} (?:has|have|contains?) no (?:\w+ )?(?:article|entry|page|document|topic|section|answer|result)s?\b",
    r"\b(?:i|we)(?:'m| am|'re| are) only able to\b|\bi can only (?:answer|help with|assist with)\b",
    r"\b(?:i|we) (?:\w+ ){0,3}(?:and )?(?:could not|couldn't|cannot|can't|did not|didn't) (?:\w+ )?(?:locate|find"
    r"|spot|see|discover"
    r"|identify|make out)\b",
    rf"\b(?:could not|couldn't|cannot|can't) (?:\w+ )?(?:find|locate|{INFORM}|say|identify)\b(?: \w+){{0,8}} (?:in"
    rf"|from"
    rf"|based on) (?:the|these"
    rf"|this|any of the) (?:\w+ ){{0,3}}{_REPORT}\b",
    r"\bsomething (?:i|we) (?:could not|couldn't|cannot|can't|was unable to|were unable to|did not|didn't) (?:find"
    rf"|locate|say|{INFORM}|see)\b",
    rf"\b(?:cannot|can't|could not|couldn't) (?:\w+ )?be (?:\w+ )?(?:answered|determined|identified|established"
    rf"|{INFORMED}"
    r"|said|deduced|settled)"
    r"\b|\bnot (?:answerable|determinable)\b",
    rf"\b(?:remains?|is|are|stays?|left) (?:\w+ )?(?:unanswered|unstated|unspecified|unmentioned|undisclosed)\W*"
    rf"(?:$|in (?:the|this|these)|by (?:the|this|these))|\b(?:question|{_ASKED}).* (?:remains?|is left|stays) open\b",
    r"^\W*(?:cannot ?answer|can't say|cannot say|no clue|no data|no info|no mention|no idea)\W*$",
)

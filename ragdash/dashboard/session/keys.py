"""The names of all choices: each is a key of the session and, but for the last ones, a parameter of the address."""

from ragdash.core.records import CHOICES

RUN, TRUTH, SHOWN, BASELINE, METRIC, K, SLICE = "run", "truth", "shown", "baseline", "metric", "k", "slice"
MATCH, HOW, FROM, DECIDED = "match", "how", "from", "decided"  # what makes a document a relevant one
# the part shown of Compare, Answers, Threshold bands, Data, Variants, Test set
COMPARE_PART, ANSWERS_PART, BANDS_PART, DATA_PART, VARIANTS_PART, TEST_SET_PART = PARTS_OF_PAGES = (
    "detail", "part", "bands_part", "data_part", "variants_part", "test_set_part")
METRICS = "columns"  # the leaderboard on Compare
CURVES, SCALE, VIEW = "curves", "axis", "tradeoff"  # Precision-recall
FORMER_VIEW = "view"  # VIEW in addresses of earlier versions, next to runs; without runs it names a saved view
X_RUN, Y_RUN = "across", "up"  # Ranking
CANDIDATE, MARGIN, PICTURE, OUTCOME, BY = "candidate", "margin", "picture", "outcome", "by"  # Compare
GROUP_ROWS, GROUP_COLUMNS = "group", "and"  # the two settings of its groups of runs
SOURCE, TARGETS, BANDED = "bands", "targets", "banded"  # Threshold bands
DRAWN = "drawn"  # whether the pictures of many runs draw the best of them or all
MEASURE, CUTOFF_BY, TUNED, AVERAGED, CORPUS = "measure", "score", "tuned", "average", "corpus"  # Score cutoffs
COVERS, PAIRS, PAIR = "covers", "pairs", "pair"  # evidence match threshold, on Data
ANSWERS, ANSWER, RIGHT, LOOKED, KIND, QUERY = "answers", "answer", "right", "look", "kind", "query"  # Answers
ANSWERS_TAB = "answer_parts"  # title of the open tab of its scores
TAB = "tab"  # of a query, on Failures, of speed and cost: title of the open tab, its first word in an address
CASE, LEAST, ORDER = "case", "least", "order"  # Queries
FIND, WHERE, AS = "text", "where", "as"
PICKED = "picked"  # queries chosen on a map or by a number of documents
OF_MAP = MAP_COLOR, MAP_VECTORS, MAP_LAYOUT = "map_color", "map_vectors", "map_layout"  # the query map, on Failures
ATTRIBUTES, STAGES, READINGS, MARKED = "attributes", "stages", "readings", "marked"
RANKS, DOC, AGAINST = "ranks", "doc", "against"
CLAIMS_JUDGE = "heard"  # the judge whose verdicts are read there
ACCEPTED = "accepted"  # kinds of checks that the reader accepts
BASELINE_OPTIONS = "_baseline_options"  # the runs that could be the baseline when the page was drawn last
REPEATS = "repeats"  # whether repeats of one configuration are one line
READ_JUDGE = "read_judge"  # the judge chosen for all pages; "" for the one with values on most queries
REVIEWED = "reviewed"  # whether a person's judgments count, on every page
SHARES = "shares"  # Failures
CUTS = CUT_OFF, COVERAGE, CORRECT, GROUNDED, RIGHT_LABELS, RIGHT_JUDGE = (  # its rules, on Queries too
    "cut_off", "coverage", "correct", "grounded", "right_labels", "right_judge")
ALIKE = "alike"  # likeness of runs, on Compare
SHOW_AS = "show_as"  # the tool whose numbers are shown there
OF_MIX = FUSED_RUNS, FUSION, FUSE_K, FUSE_SHARE, FUSE_WINDOW, FUSE_DEPTH, FUSE_SAME, RERANKED = (  # What-if
    "fused", "fusion", "fuse_k", "fuse_share", "window", "fuse_depth", "fuse_same", "reranked")
STAGE, PAID = "stage", "paid"  # speed and cost, on Threshold bands
OF_HISTORY = HISTORY_BY, HISTORY_LINE, HISTORY_AGAINST, HISTORY_RUN = (  # History
    "lines_by", "line", "compared_with", "accepted_run")
OF_VARIANTS = VARIANTS_FIND, VARIANTS_BY, VARIANTS_PINNED, VARIANTS_AIM = (  # Variants
    "variants_find", "variants_by", "variants_pinned", "variants_aim")
JUDGE = "judge"  # whose verdicts, on Answers
SHARING = PARTS, TEXTS, TABLE, FORM, LEADS, LOOK = (  # Share
    "sections", "texts", "table", "format", "to", "look_as")
ABOUT, SEARCH = "about", "find"  # Metrics
OF_SET = SET, DRAFT, DRAFT_TYPES, DRAFT_STATE = "set", "draft", "draft_types", "draft_state"  # Test set
OF_VALIDATION = TRUSTED, CLASSED, TRUST_VIEW, LABELS_FROM, GROUPED = (  # judge validation, on Answers
    "trusted", "classes", "desk", "labels_from", "groups")
SHEET, SEED, OF = "sheet", "seed", "of"  # its labeling sheet: queries, seed, run
DIRECTIONS = "better"  # which end of a metric from a file is better, as name=lower
CONVENTIONS = tuple(CHOICES)  # missing, unanswerable, ...

SIDEBAR = (SHOWN, BASELINE, METRIC, K, SLICE, MATCH, HOW, FROM, DECIDED, REVIEWED, REPEATS, ACCEPTED, DIRECTIONS,
           READ_JUDGE, *CONVENTIONS)
PAGE = (*PARTS_OF_PAGES, METRICS, CURVES, SCALE, VIEW, X_RUN, Y_RUN, CANDIDATE, MARGIN, PICTURE, OUTCOME, BY,
        GROUP_ROWS, GROUP_COLUMNS, SOURCE, TARGETS, BANDED, DRAWN, MEASURE, CUTOFF_BY, TUNED, AVERAGED, CORPUS,
        COVERS, PAIRS, PAIR, ANSWERS, ANSWERS_TAB, TAB, ANSWER, RIGHT,
        LOOKED, KIND, QUERY, CASE, LEAST, ORDER, FIND, WHERE, AS, ATTRIBUTES, STAGES, READINGS, MARKED, PICKED,
        *OF_MAP, RANKS, DOC, AGAINST, CLAIMS_JUDGE, SHARES, *CUTS, ALIKE, SHOW_AS, STAGE, PAID, JUDGE,
        *OF_VALIDATION, SHEET, SEED, OF, ABOUT, SEARCH, *OF_SET, *OF_MIX, *OF_HISTORY, *OF_VARIANTS, *SHARING)
ONLY_ON = {  # pages -> choices that no other page asks for; without a page: one that means something else on each
    (): (TAB,),
    ("compare", "leaderboard"): (COMPARE_PART, CANDIDATE, MARGIN, PICTURE, OUTCOME, GROUP_ROWS, GROUP_COLUMNS, ALIKE,
                                 SHOW_AS),
    ("compare", "leaderboard", "failures", "threshold-bands"): (BY,),
    ("precision-recall",): (CURVES, VIEW),
    ("precision-recall", "ranking"): (SCALE,),
    ("ranking",): (X_RUN, Y_RUN),
    ("score-cutoffs",): (MEASURE, CUTOFF_BY, TUNED, AVERAGED, CORPUS),
    ("answers", "judges", "trust"): (ANSWERS_PART, ANSWERS, ANSWERS_TAB, ANSWER, KIND, JUDGE, *OF_VALIDATION, SHEET,
                                     SEED, OF),
    ("answers", "queries"): (RIGHT,),
    ("answers", "judges", "trust", "failures", "queries"): (LOOKED,),
    ("failures",): (SHARES, *OF_MAP),
    ("queries",): (QUERY, CASE, LEAST, ORDER, FIND, WHERE, AS, ATTRIBUTES, STAGES, READINGS, MARKED, PICKED, RANKS, DOC,
                   AGAINST, CLAIMS_JUDGE),
    ("threshold-bands", "speed-cost"): (BANDS_PART, SOURCE, TARGETS, BANDED, STAGE, PAID),
    ("what-if", "share"): (FUSED_RUNS,),
    ("what-if",): tuple(key for key in OF_MIX if key != FUSED_RUNS),
    ("data",): (DATA_PART, COVERS, PAIRS, PAIR),
    ("variants",): (VARIANTS_PART, *OF_VARIANTS),
    ("test-set",): (TEST_SET_PART, *OF_SET),
    ("history",): OF_HISTORY,
    ("metrics",): (ABOUT, SEARCH)}
MANY = (SHOWN, ACCEPTED, METRICS, DIRECTIONS, CURVES, TARGETS, ANSWERS, ATTRIBUTES, STAGES, READINGS, MARKED, PICKED,
        PARTS, DRAFT_TYPES, FUSED_RUNS, VARIANTS_PINNED)  # hold several values
OF_RUNS = (SHOWN, BASELINE, X_RUN, Y_RUN, CANDIDATE, LOOKED, OF, FUSED_RUNS, RERANKED,
           VARIANTS_PINNED)  # hold digests of runs

KEEP_CHOICES = "keep"  # in links from page to page: choices that the link does not name stay as they are

# Of the session alone, not in the address.
DOCUMENTS = "_documents"  # digest of those dropped last
CORPORA, VERSIONS = "_corpora", "_truth_versions"  # digests of all documents dropped; versions of the truth made here
OLD_TEXTS, NEW_TEXTS, SOURCES = "_old_texts", "_new_texts", "_text_sources"  # re-linking, on Data
RELINKED, TRUTH_VERSION = "_relinked", "truth_version"  # the judgments and texts whose links are shown; in use
FOLLOWED_LINKS, DROP_GONE, REJECTED, LINK_KIND = "_followed_links", "_drop_gone", "_rejected", "_link_kind"
FOLLOWED = "_followed"  # the sidebar's metric when the Answers page was last seen
ANSWERS_TESTED = "_answers_tested"  # whether every metric of Answers is tested where many runs are shown
METRIC_DEFAULT = "_metric_default"  # the metric of the sidebar unless another is chosen, when it was last seen
METRICS_DEFAULT = "_metrics_default"  # the metrics of the leaderboard unless others are chosen, when it was last seen
ANSWERS_DEFAULT = "_answers_default"  # the metrics of Answers unless others are chosen, when it was last seen
ANSWER_GONE = "_answer_gone"  # the one that its sentence was about before its values went, and what came in its place
LEG_GROUP = "_leg_group"  # the documents listed under "What each run brings" on What-if
MIX_ADDED = "_mix_added"  # name of the run just added on What-if
BANDS_FILE, PRICES_FILE, HISTORY_FILE = "_bands_file", "prices_file", "history_file"
PRICES_SHOWN = "_prices_shown"  # the price table that is being edited, as it was when that began
PRICES_ASKED = "_prices_asked"  # when it was asked to be kept, while it is not
OWN_SLIDER, OWN_WAY = "_slider", "_way"  # FROM and HOW once more, on Data
DECISIONS_NOTE, DECISIONS_READ = "_decisions_note", "_decisions_read"  # its files of decided pairs
MODEL_OF = "_model_"  # and a kind: the models of Answers
READING = "read"  # whether a document is read on Queries
UNSAVED_TEXTS = "_unsaved_texts"  # {key of a field: what was typed and could not be stored}
REVIEW_RUN, REVIEW_VERDICT, REVIEW_NOTE = "review_run", "review_verdict", "review_note"
JUDGE_METRICS, JUDGE_KIND, JUDGE_URL, JUDGE_MODEL = "_judge_metrics", "_judge_kind", "_judge_url", "_judge_model"
JUDGE_KEY_FROM, JUDGE_VARIABLE, JUDGE_KEY = "_judge_key_from", "_judge_variable", "_judge_key"
JUDGE_SAMPLE, JUDGE_VOTES, JUDGE_COST, JUDGE_CALLS = "_judge_sample", "_judge_votes", "_judge_cost", "_judge_calls"
JUDGE_RENEW = "_judge_renew"
JUDGE_PRICE_IN, JUDGE_PRICE_OUT, JUDGE_AT_ONCE = "_judge_price_in", "_judge_price_out", "_judge_at_once"
JUDGE_PLANNED, JUDGE_AGREED, JUDGE_WANTED = "_judge_plan", "_judge_agreed", "_judge_wanted"
JUDGE_SEEN = "_judge_seen"  # the one that the LLM judge tab shows because it was asked there last
JUDGE_ASKED = "_judge_asked"  # by this session, whose verdicts have not been shown yet
VERDICTS_OF, VERDICTS_FOR, VERDICTS_AS = "_verdicts_of", "_verdicts_for", "_verdicts_as"  # out, in, form
VERDICTS_FILE, VERDICTS_SAID = "_verdicts_file", "_verdicts_said"
RUBRIC_NAME, RUBRIC_QUESTION, RUBRIC_KIND = "_rubric_name", "_rubric_question", "_rubric_kind"
RUBRIC_SEES, RUBRIC_COLUMN, RUBRIC_SCALE = "_rubric_sees", "_rubric_column", "_rubric_scale"
RUBRIC_FILE, RUBRIC_SAVED = "_rubric_file", "_rubric_saved"
RUBRICS_SAVED_HERE = "_rubrics_saved_here"  # criteria that this session has saved, by name
RUBRIC_REPLACED = "_rubric_replaced"  # the criterion of somebody else that the last one took the place of
DIFFER_ON = "_differ_on"  # the metric whose differences between judges are listed
POLICY_ANSWER = "_policy"  # and the name of the question
POLICY_BEFORE = "_policy_before"  # the policy that this session replaced or removed
EXAMPLES_PER_CLASS = "_examples_per_class"
BATCH_AGREED = "_batch_agreed"  # whether texts may be sent to a batch service
BATCH_REPLIES, BATCH_READ = "_batch_replies", "_batch_read"  # the files to read, what came of them
APART_AT = "trust_apart"  # the disagreement that is read
LABEL_AT, LABELS_SKIPPED, LABEL_FILES, LABELS_OF = "label_at", "label_skipped", "label_files", "name_for_rows"
REPORT_TITLE, REPORT_AUTHOR, REPORT_HYBRID = "_report_title", "_report_author", "_report_hybrid"
REPORT_WORDS = "_report_words"  # title and author, also for a report that is being made
DRAFTS, DRAFTS_FILE = "_drafts", "drafts_file"  # a test set that is not in the workspace
DRAFT_QUESTION, DRAFT_ANSWER, DRAFT_WHY = "draft_question", "draft_answer", "draft_why"
NEW_SET_SIZE, NEW_SET_TYPES, NEW_SET_CRITIQUE = "_new_set_size", "_new_set_types", "_new_set_critique"
NEW_SET_PLANNED, NEW_SET_AGREED, NEW_SET_SEEN = "_new_set_plan", "_new_set_agreed", "_new_set_seen"
NEW_SET_WANTED = "_new_set_wanted"  # as JUDGE_WANTED: the click on a button is noted, and the form is read first
PRODUCTION_LOG, PRODUCTION_FILE, PRODUCTION_RUN = "_production_log", "_production_file", "_production_run"
RELABEL_POSITION, RELABEL_COMPARED = "_relabel_position", "_relabel_compared"  # judging again, on Test set
DRAFTS_TAKEN, TRUTH_USED = "draft_taken", "_truth_used"
DRAWN_TABS = "_drawn_tabs"  # {chart: (its figure, which of its tabs the browser holds)}
USED, RESET = "_used", "_reset"  # {key: default} of the choices of this page; choices that its address leaves out
SENT = "_sent"  # keys of the widgets whose values the browser has sent
ASKED, LEFT_OUT = "_asked", "_left_out"  # choices of a link that the page has not asked for yet; those not taken over
UPLOADS, WAITING = "_uploads", "_waiting"  # how often the drop field was emptied; its files that are still to be read
EMPTIED = "_emptied"  # and an upload field: how often the files that it held were read
LAST_PAGE, CHANGED_PAGE = "_last_page", "_changed_page"  # drawn to its end last; whether another is drawn
NOT_CHOSEN = "_not_chosen"  # {choice with another default on each page: the default that it has}
DRAWN_PAGE = "_drawn_page"  # of which the drawing began last
OPENED_VIEW, UNKNOWN_VIEW = "_opened_view", "_unknown_view"
VIEW_TARGET, VIEW_PROBLEMS = "_view_target", "_view_problems"
VIEW_NAME, VIEW_NOTE, VIEW_EXISTS = "view_name", "view_note", "_view_exists"  # of the view that is saved on Share
VIEW_SAVED, VIEW_DELETED = "_view_saved", "_view_deleted"
LOG_SEEN = "_log_seen"  # ids of recorded runs of the watched folder that this session loaded or passed over
LOG_OLDER = "_log_older"  # run ids of closed runs of the folder that were not loaded at the first visit
SENT_ADDRESSES = "_sent_addresses"  # when one was written last; it, after those that the browser may still have
REMOVED_RUN = "_removed_run"  # (position, entry, whether it was the baseline) of the run removed last


def keys_of_link(page: str) -> list[str]:
    """The choices that a link to this page may have, from another page that has not seen it.

    Examples
    --------
    >>> [BY in keys_of_link(page) for page in ("compare", "queries", "failures")]
    [True, False, True]
    """
    others = {key for pages, keys in ONLY_ON.items() if page not in pages for key in keys}
    return [key for key in PAGE if key not in SHARING and key not in others]

"""The names of all choices: each is a key of the session and a parameter of the address."""

from ragdash.records import CHOICES

RUN, TRUTH, SHOWN, BASELINE, METRIC, K, SLICE = "run", "truth", "shown", "baseline", "metric", "k", "slice"
MATCH, HOW, FROM, DECIDED = "match", "how", "from", "decided"  # what makes a document a relevant one
METRICS, SORT = "columns", "sort"  # Leaderboard
CURVES, SCALE, VIEW = "curves", "axis", "view"  # Precision-recall
ACROSS, UP = "across", "up"  # Ranking
CANDIDATE, MARGIN, PICTURE, OUTCOME, BY = "candidate", "margin", "picture", "outcome", "by"  # Compare
SOURCE, TARGETS, BANDED = "bands", "targets", "banded"  # Threshold bands
MEASURE, CUTOFF_BY, TUNED, AVERAGED, CORPUS = "measure", "score", "tuned", "average", "corpus"  # its score cutoffs
COVERS, PAIRS, PAIR = "covers", "pairs", "pair"  # its evidence match threshold
ANSWERS, ANSWER, RIGHT, LOOKED, KIND, QUERY = "answers", "answer", "right", "look", "kind", "query"  # Answers
CASE, LEAST, ORDER = "case", "least", "order"  # Queries
FIND, WHERE, AS = "text", "where", "as"
ATTRIBUTES, STAGES, READINGS, MARKED = "attributes", "stages", "readings", "marked"
RANKS, DOC, AGAINST = "ranks", "doc", "against"
HEARD = "heard"  # the judge whose verdicts are read there
REVIEWED = "reviewed"  # whether a person's judgements count, on every page
SHARES = "shares"  # Failures
CUTS = CUT_OFF, COVERAGE, CORRECT, GROUNDED = "cut_off", "coverage", "correct", "grounded"  # its rules, on Queries too
ALIKE = "alike"  # likeness of runs, on Compare
STAGE, PAID = "stage", "paid"  # Speed & cost
JUDGE = "judge"  # whose verdicts: Judges, Trust
SHARING = PARTS, TEXTS, TABLE, FORM, DRAWN, LEADS, LOOK = (  # Share
    "sections", "texts", "table", "format", "pictures", "to", "look_as")
ABOUT, SEARCH = "about", "find"  # Metrics
OF_SET = SET, DRAFT, DRAFT_TYPES, DRAFT_STATE = "set", "draft", "draft_types", "draft_state"  # Test set
TRUSTED, CLASSED, DESK = "trusted", "classes", "desk"  # Trust
SHEET, SEED, OF = "sheet", "seed", "of"  # its labelling sheet: queries, seed, run
CONVENTIONS = tuple(CHOICES)  # missing, unanswerable, ...

SIDEBAR = (SHOWN, BASELINE, METRIC, K, SLICE, MATCH, HOW, FROM, DECIDED, REVIEWED, *CONVENTIONS)
PAGE = (METRICS, SORT, CURVES, SCALE, VIEW, ACROSS, UP, CANDIDATE, MARGIN, PICTURE, OUTCOME, BY, SOURCE, TARGETS,
        BANDED, MEASURE, CUTOFF_BY, TUNED, AVERAGED, CORPUS, COVERS, PAIRS, PAIR, ANSWERS, ANSWER, RIGHT,
        LOOKED, KIND, QUERY, CASE, LEAST, ORDER, FIND, WHERE, AS, ATTRIBUTES, STAGES, READINGS, MARKED, RANKS, DOC,
        AGAINST, HEARD, SHARES, *CUTS, ALIKE, STAGE, PAID, JUDGE, TRUSTED, CLASSED, DESK, SHEET, SEED, OF,
        ABOUT, SEARCH, *OF_SET, *SHARING)
MANY = (SHOWN, METRICS, CURVES, TARGETS, ANSWERS, ATTRIBUTES, STAGES, READINGS, MARKED, PARTS,
        DRAFT_TYPES)  # hold several values
DOCUMENTS = "_documents"  # digest of those dropped last, of the session alone
FOLLOWED = "_followed"  # the sidebar's metric when the Answers page was last seen, of the session alone
BANDS_FILE = "_bands_file"  # of the session alone: a file is not in the address
OF_RUNS = (SHOWN, BASELINE, ACROSS, UP, CANDIDATE, LOOKED, OF)  # hold digests of runs

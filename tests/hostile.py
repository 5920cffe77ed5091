"""Runs and a truth whose every field tries to be markup, a script, a formula or a command."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa

from ragdash.core.records import Run, Truth

BAD = ("<script>window.pwned=1</script>", "</script><script>window.pwned=2</script>",
       "</style><img src=x onerror=pwned=3>",
       "=HYPERLINK(\"http://evil.example/\")", "$\\input{/etc/passwd}$ \\write18{ls}",
       "[x](javascript:pwned=4) **b** `c` | d",
       "{{ 7 * 7 }}{% raw %}", "@SUM(1+1)*cmd|' /C calc'!A0", "--><svg onload=pwned=5>",
       "<a href=\"http://evil.example/\">x</a>", "\u2028]]>&lt;b&gt;", ":orange[no] :material/home: \\*")
QUERIES = 24


def runs_and_truth() -> tuple[list[Run], Truth]:
    """Three runs; ids, texts, names, answers, settings and attributes are all taken from BAD."""
    ids = [f"{BAD[at % len(BAD)]}{at}" for at in range(QUERIES)]
    docs = [f"{bad} d{at}" for at, bad in enumerate(BAD)]
    truth = Truth.build("</title><script>pwned=6</script>", ids, [docs[at % len(docs)] for at in range(QUERIES)],
                        np.ones(QUERIES, int), details=pa.table({
                            "query_id": ids, "query": [f"{BAD[(at + 1) % len(BAD)]}?" for at in range(QUERIES)],
                            "answers": [[BAD[at % len(BAD)]] for at in range(QUERIES)],
                            "attributes": [json.dumps({BAD[0]: BAD[at % 2]}) for at in range(QUERIES)]}))
    runs = []
    for own in range(3):
        rows = [(ids[at], docs[(at + step) % len(docs)], 9.0 - rank) for at in range(QUERIES)
                for rank, step in enumerate(((own and at % 2), 1 + own, 3, 5))
                if rank == 0 or (step != own and step > 1)]
        details = pa.table({"query_id": ids, "answer": [BAD[(at + own) % len(BAD)] for at in range(QUERIES)],
                            "contexts": [[BAD[at % len(BAD)], BAD[own]] for at in range(QUERIES)],
                            "latency_ms": [float(at) for at in range(QUERIES)]})
        queries, names, scores = map(list, zip(*dict.fromkeys(rows), strict=True))
        runs.append(Run.build(f"{BAD[own]} {own}", queries, names, scores, texts=[f"{name} text" for name in names],
                              details=details, settings={BAD[4]: BAD[5], BAD[1]: own}))
    return runs, truth

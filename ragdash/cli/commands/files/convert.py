"""`ragdash convert`: write a run or a truth in another format."""

from __future__ import annotations

import argparse

from ragdash.cli.common_options import add_reading_options
from ragdash.cli.inputs import reading_arguments, selected_run, source_of, with_documents, with_fixed_ids
from ragdash.core.console import say, unwritable
from ragdash.core.paths import split_name
from ragdash.io import detect, read_runs, read_truth, write_run, write_truth
from ragdash.io.write.judge_inputs import JUDGE_INPUTS, write_judge_input
from ragdash.io.write.write import WRITTEN_FORMATS


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add_reading_options(parser)
    parser.add_argument("file", metavar="IN", help="the run or the ground truth to write")
    parser.add_argument("-o", "--output", required=True, metavar="OUT", help="its ending names the format")
    parser.add_argument("--truth", action="store_true", help="take IN as a ground truth, where it could be both")
    parser.add_argument("--config", metavar="NAME", help="the configuration to write, where IN holds several")
    parser.add_argument("--format", choices=(*WRITTEN_FORMATS, *JUDGE_INPUTS), help="default: that of OUT's ending; "
                        "ragas and deepeval: the input of these tools")
    parser.add_argument("--references", metavar="TRUTH", help="ground truth: for ragas and deepeval, with questions, "
                        "right answers and relevant documents; for --ids, with the ids to take")


def run(options: argparse.Namespace) -> int:
    """Write what a file holds in another format; losses are reported."""
    content, arguments = source_of(options.file), reading_arguments(options, options.file)
    references = read_truth(source_of(options.references), **reading_arguments(options, options.references)) \
        if options.references else None
    if options.format not in JUDGE_INPUTS and (options.truth or detect(content, **arguments).role == "truth"):
        record, write_it = with_documents(read_truth(content, **arguments), options), write_truth
    else:
        runs = with_fixed_ids(
            read_runs(content, name=split_name(options.file)[0], **arguments), references, options
        )
        record, write_it = selected_run(runs, options), write_run
    try:
        if options.format in JUDGE_INPUTS:
            write_judge_input(record, references, options.output, options.format)
            say(record.problems)
            return 0
        losses = write_it(record, options.output, options.format)
    except OSError as error:
        raise unwritable(options.output, error) from None
    say([*record.problems, *losses])
    return 0

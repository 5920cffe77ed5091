"""Options of the commands that ask a judge, the endpoint they name, and the confirmation before texts are sent."""

from __future__ import annotations

import argparse
import os
import sys

import orjson

from ragdash.cli.common_options import seconds, whole_number
from ragdash.cli.job_progress import write_message
from ragdash.core.console import print_note
from ragdash.core.errors import InputError, Problem
from ragdash.core.text.quoted import printable
from ragdash.evaluation.stats import SEED
from ragdash.models.judge import Endpoint, Patience, Plan, Prices
from ragdash.models.judge.allowed_hosts import VARIABLE, AllowedHosts
from ragdash.models.judge.batch import CONCURRENCY
from ragdash.models.judge.endpoint import KINDS, PROVIDERS
from ragdash.models.judge.transport.prices import listed_price


def add_judge_options(parser: argparse.ArgumentParser) -> None:
    """Options of the commands that ask a judge."""
    parser.add_argument("--base-url", metavar="URL", help="of the endpoint, such as http://localhost:11434/v1 "
                        "(for batches the default is the address of OpenAI, or of Anthropic with --kind anthropic)")
    parser.add_argument("--model", required=True, metavar="NAME", help="as the endpoint calls it")
    parser.add_argument("--kind", choices=KINDS, default=KINDS[0], help="the protocol (default: openai, which most "
                        "endpoints speak)")
    parser.add_argument("--key-env", metavar="NAME", help="the environment variable with the key (default: "
                        "OPENAI_API_KEY or ANTHROPIC_API_KEY at these two, none elsewhere)")
    parser.add_argument("--judge-hosts", metavar="HOST,...", default=os.environ.get(VARIABLE), help="hosts that may be "
                        'called, with or without a port; "public" for all on the internet (default: any host)')
    parser.add_argument("--parameter", action="append", metavar="NAME=VALUE", help="such as seed=1; temperature is 0 "
                        "unless given, and left out with temperature=")
    parser.add_argument("--price-in", type=float, metavar="MONEY", help="for a million tokens read")
    parser.add_argument("--price-out", type=float, metavar="MONEY", help="for a million tokens written")
    parser.add_argument("--max-cost", type=float, metavar="MONEY", help="stop before more than this is paid")
    parser.add_argument("--max-calls", type=whole_number(0), metavar="N", help="stop after N calls")
    parser.add_argument("--seed", type=whole_number(0), default=SEED, help="of the random draws")
    parser.add_argument("--concurrency", type=whole_number(1), default=CONCURRENCY, metavar="N", help="calls at once")
    parser.add_argument("--timeout", type=seconds, default=Patience.reply, metavar="SECONDS", help="for a reply")
    parser.add_argument("--dry-run", action="store_true", help="print calls, tokens and cost; ask nothing")
    parser.add_argument("--yes", action="store_true", help="texts may leave this machine")
    parser.add_argument("--progress", choices=("text", "json"), default="text",
                        help="how it is printed (default: text)")


def endpoint_of(options: argparse.Namespace) -> Endpoint:
    """The endpoint that the options name; InputError where they do not fit together."""
    if options.base_url is None:
        if not any(getattr(options, name, None) for name in ("batch_out", "batch_in", "batch")):
            raise InputError([Problem("no-base-url", field="--base-url")])
        options.base_url = PROVIDERS.get(options.kind, PROVIDERS["openai"])
    prices = (options.price_in, options.price_out)
    listed = listed_price(options.model) if prices == (None, None) and not _is_local(options) else None
    if listed is not None:
        prices = (listed.prices.prompt, listed.prices.completion)
        if options.progress == "text":
            print_note(f"Listed prices of {listed}; yours come first: --price-in, --price-out, or prices.toml")
    if (prices[0] is None) != (prices[1] is None) or (options.max_cost is not None and None in prices):
        raise InputError([Problem("no-prices/both", field="--price-in")])
    parameters = {"temperature": 0}
    for text in options.parameter or ():
        name, _, value = text.partition("=")
        try:
            parameters[name.strip()] = orjson.loads(value) if value else None
        except orjson.JSONDecodeError:
            parameters[name.strip()] = value
    allowed = None if options.judge_hosts is None else AllowedHosts.parse(options.judge_hosts)
    endpoint = Endpoint(options.base_url, options.model, options.kind, options.key_env,
                        None if None in prices else Prices(*prices),
                        {name: value for name, value in parameters.items() if value is not None}, allowed=allowed)
    endpoint.check_allowed()
    return endpoint


def _is_local(options: argparse.Namespace) -> bool:
    """Whether the address is on this machine: a model there has no list price, whatever its name."""
    return Endpoint(options.base_url, options.model, options.kind).local


def confirm(endpoint: Endpoint, texts: str) -> None:
    """Ask whether these texts may be sent to the endpoint; InputError without a terminal, or without a yes."""
    host = endpoint.host
    texts = f"{texts} go to {host}."
    if not sys.stdin.isatty():
        raise InputError([Problem("not-confirmed/unasked", {"host": host}, field="--yes")])
    print(f"{printable(texts)} Send them? [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise InputError([Problem("not-confirmed", {"host": host}, field="--yes")])


def write_plan(options: argparse.Namespace, plan: Plan, endpoint: Endpoint, *reply: str) -> None:
    """What is to be asked and what that costs, where the texts go; reply: as Plan.words has it."""
    sentence = plan.words(*reply or ("verdict",))
    write_message(options, "plan", {**plan.as_dict(), "words": sentence, "host": endpoint.host, "local": endpoint.local}
         if options.progress == "json" else sentence)

"""Messages about judging by batches: request and reply files, and the services that take them."""

from ragdash.core.messages.message import Message

MESSAGES: dict[str, Message] = {
    "bad-batch-line": Message(
        actual="a line that is no reply of a batch",
        expected="custom_id with response or error (OpenAI), or with result (Anthropic)",
        fix="It is left out. Give the result file as the provider returned it.",
    ),
    "batch-ended": Message(
        actual="batch {batch} ended as {status}{reply:?: {reply}}",
        expected="replies",
        fix="Its questions are free again: submit them with --batch submit.",
        page="Its questions are free again: submit them once more.",
    ),
    "batch-kind": Message(
        actual="--kind {kind}",
        expected="openai or anthropic: a service for batches",
        fix="Write the requests with --batch-out, and give the file to the service.",
        page="Download the requests and give the file to the service.",
    ),
    "batch-same-file": Message(
        actual="the file of replies as the file to write",
        expected="another name",
        fix="Name another file with --batch-out.",
        page="Name another file.",
    ),
    "batch-service": Message(
        actual="{what} at {host} failed: {reply}",
        expected="an endpoint with /files and /batches as OpenAI's, or /messages/batches as Anthropic's",
        fix="Try again; what was submitted is known and is not submitted twice. Or use --batch-out and --batch-in.",
        page="Try again; what was submitted is known and is not submitted twice. Or download the requests.",
    ),
    "foreign-batch-lines": Message(
        actual="{lines:count line} about other questions than those of these runs",
        expected="replies to the requests that were written for them",
        fix="Use the runs, ground truth, metrics, base URL, model, parameters, sample and votes of the request file.",
        page="Choose the runs, metrics, base URL, model, sample and votes of the request file.",
    ),
    "no-base-url": Message(
        actual="no address of a judge",
        expected="the address of an endpoint, such as http://localhost:11434/v1",
        fix="Name it with --base-url. Only batches have a default: the provider's own address.",
    ),
    "no-batch-replies": Message(
        actual="no reply of a batch in {lines:count line}",
        expected="custom_id with response or error (OpenAI), or with result (Anthropic)",
        fix="Give the result file as the provider returned it, not the request file.",
    ),
    "no-open-batch": Message(
        actual="no batch of {judge} that is open",
        expected="a batch that was submitted from this workspace",
        fix="Submit one with --batch submit.",
        page="Submit one first.",
    ),
    "repeated-batch-line": Message(
        actual="another reply to the request {name}",
        expected="one reply to a request",
        fix="The first usable one counts.",
    ),
}

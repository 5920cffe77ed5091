#!/usr/bin/env bash
# The step of action.yml. Inputs are variables, never parts of the script, so that no input can become a command.
set -uo pipefail

work="${RUNNER_TEMP:-/tmp}/ragdash-gate"
mkdir -p "$work"
rm -f "$work/gate.md" "$work/result.json"
if [[ -n "${INSTALL:-}" ]]; then python -m pip install --quiet "$INSTALL" || exit 2; fi

read -r -a runs <<< "${RUN//$'\n'/ }"
read -r -a more <<< "${ARGUMENTS:-}"
truth=()
if [[ -n "${TRUTH:-}" ]]; then truth=(--truth "$TRUTH"); fi
python -m ragdash gate "${runs[@]}" "${truth[@]}" --against "$BASELINE" "${more[@]}" \
  --format markdown -o "$work/gate.md" --result-json "$work/result.json" 2> "$work/messages.txt"
status=$?
cat "$work/messages.txt" >&2

tier=error
if [[ -s "$work/result.json" ]]; then
  tier=$(python -c 'import json, sys; print(json.load(open(sys.argv[1]))["tier"])' "$work/result.json")
else
  { echo "### Gate without a result: $NAME"; echo; echo '```'; cat "$work/messages.txt"; echo '```'; } > "$work/gate.md"
fi
cat "$work/gate.md" >> "${GITHUB_STEP_SUMMARY:-/dev/stdout}"
{ echo "status=$status"; echo "tier=$tier"; echo "result-json=$work/result.json"; } >> "${GITHUB_OUTPUT:-/dev/stdout}"
if [[ "${COMMENT:-true}" == true ]]; then
  python -m ragdash.cli.pull_request_comment "$work/gate.md" --name "$NAME"
fi

if (( status == 1 )) && [[ "${FAIL_ON_REGRESSION:-true}" == true ]]; then exit 1; fi
if (( status > 1 )) && [[ "${FAIL_ON_ERROR:-true}" == true ]]; then exit "$status"; fi
exit 0

#!/usr/bin/env bash
# The findings: for the log, and as SARIF. The job goes on whatever they are; the last step of the action fails it.
set -euo pipefail
here="$(dirname "${BASH_SOURCE[0]}")"
# shellcheck source=action/arguments.sh
. "$here/arguments.sh"

sarif="$RUNNER_TEMP/retrylint.sarif"
status=0
retrylint check "${settings[@]}" "--fail-on=${RETRYLINT_FAIL_ON:-error}" "--output=sarif=$sarif" "${paths[@]}" || status=$?
echo "status=$status" >> "$GITHUB_OUTPUT"
echo "sarif=$sarif" >> "$GITHUB_OUTPUT"

#!/usr/bin/env bash
# One comment of the pull request says what it changes; a later run writes over it.
set -euo pipefail
here="$(dirname "${BASH_SOURCE[0]}")"
# shellcheck source=action/arguments.sh
. "$here/arguments.sh"

mark='<!-- retrylint -->'
body="$RUNNER_TEMP/retrylint.md"
git fetch --quiet --no-tags --depth=1 origin "$RETRYLINT_BASE"
echo "$mark" > "$body"
status=0
retrylint compare "${settings[@]}" --fail-on=never "--git=$RETRYLINT_BASE" --format=markdown "${paths[@]}" >> "$body" || status=$?
# 1 says that something new was found.
if [ "$status" -gt 1 ]; then
    echo "::warning::retrylint could not compare with the base of the pull request"
    exit 0
fi

comments="repos/$GITHUB_REPOSITORY/issues/$RETRYLINT_REQUEST/comments"
ours='.[] | select(.user.type == "Bot" and (.body | startswith("<!-- retrylint -->"))) | .id'
known="$(gh api --paginate "$comments" --jq "$ours" | head -n 1)" || known=""
if [ -n "$known" ]; then
    said=(--method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$known")
else
    said=(--method POST "$comments")
fi
# The token of a fork's pull request may only read.
gh api "${said[@]}" --field "body=@$body" --silent || echo "::warning::retrylint may not comment here"

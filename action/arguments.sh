# shellcheck shell=bash
# Read by the other scripts: the arguments that every run shares, and the binary. No list is empty: an old bash takes an
# empty one for a variable that is not set.
export PATH="$RUNNER_TEMP/retrylint/bin:$PATH"

settings=(--color=never)
if [ -n "${RETRYLINT_CONFIG:-}" ]; then
    settings+=("--config=$RETRYLINT_CONFIG")
fi

# One path per line; a path that begins with a dash is still a path.
paths=(--)
while IFS= read -r path; do
    if [ -n "$path" ]; then
        paths+=("$path")
    fi
done <<< "${RETRYLINT_PATHS:-}"

#!/usr/bin/env bash
# The steps of the action: `check`, `diff` and `build`. Inputs are environment variables (see action.yml).
set -euo pipefail

cd -- "$GITHUB_WORKSPACE"

# Fails the step. The percent sign and line breaks are escaped, so that a value cannot begin another workflow command.
fail() {
  local message=$1
  message=${message//'%'/'%25'}
  message=${message//$'\r'/}
  printf '::error::%s\n' "${message//$'\n'/'%0A'}"
  exit 1
}

config=${INPUT_CONFIG#./}
case $config in
  '' | /* | .. | ../* | */.. | */../*) fail "The input config must be a path in the repository: $config" ;;
esac
[ -f "./$config" ] || fail "There is no configuration $config."

# The apikiln that the project has installed: in the folder of the configuration or the nearest one above.
folder=$(dirname -- "./$config")
until [ -f "$folder/node_modules/apikiln/dist/compiler/cli.js" ]; do
  [ "$folder" != . ] || fail 'apikiln is not installed: run npm ci before this action.'
  folder=$(dirname -- "$folder")
done
tool="$PWD/$folder/node_modules/apikiln/dist/compiler/cli.js"

# One argument a line.
options=()
while IFS= read -r line; do
  line=${line%$'\r'}
  [ -z "$line" ] || options+=("$line")
done <<< "${INPUT_OPTIONS:-}"

# The repository of the configuration: a checkout with `path` is a folder of the workspace.
place=$(dirname -- "./$config")
top=$(command git -C "$place" rev-parse --show-toplevel 2> /dev/null) || top=.
tracked=$(command git -C "$place" rev-parse --show-prefix 2> /dev/null)$(basename -- "$config") || tracked=$config
git() { command git -C "$top" "$@"; }

# Prints the commit of a name; fetches it if the checkout is shallow.
commit_of() {
  local name=$1 ref
  if [[ $name =~ ^[0-9a-f]{40}([0-9a-f]{24})?$ ]]; then
    ref=$name
  else
    ref="refs/heads/$name"
    git check-ref-format "$ref" || fail "The base is neither a commit nor the name of a branch: $name"
    git rev-parse --verify --quiet "refs/remotes/origin/$name^{commit}" && return
  fi
  git rev-parse --verify --quiet "$ref^{commit}" && return
  git fetch --quiet --no-tags --depth=1 origin "$ref" || fail "The base cannot be fetched: $name"
  git rev-parse --verify --quiet 'FETCH_HEAD^{commit}'
}

# Prints the base of the pull request that is checked out; nothing for other events. A checked out merge has the base as its first parent,
# which is newer than the base of the event if the branch has moved. A shallow checkout has only the names of the parents.
base_of_event() {
  local parents
  if [[ ${GITHUB_REF:-} == refs/pull/*/merge ]]; then
    parents=$(git cat-file commit HEAD | sed -n '/^$/q; s/^parent //p')
    if [ "$(printf '%s\n' "$parents" | wc -l)" -eq 2 ]; then
      printf '%s\n' "${parents%%$'\n'*}"
      return
    fi
  fi
  printf '%s\n' "${PULL_REQUEST_BASE:-${GITHUB_BASE_REF:-}}"
}

# Sets an output of the step. The delimiter is random, so that no value contains it.
set_output() {
  local delimiter
  delimiter="end-$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')"
  printf '%s<<%s\n%s\n%s\n' "$1" "$delimiter" "$2" "$delimiter" >> "$GITHUB_OUTPUT"
}

case $1 in
  check)
    node "$tool" check --format=github ${options[@]+"${options[@]}"} -- "$config"
    ;;

  diff)
    name=${INPUT_BASE:-$(base_of_event)}
    if [ -z "$name" ]; then
      echo 'Not compared: the event has no base.'
      exit 0
    fi
    base=$(commit_of "$name") || { printf '%s\n' "$base"; exit 1; }
    temporary=$(mktemp -d "${RUNNER_TEMP:-/tmp}/apikiln.XXXXXX")
    trap 'rm -rf -- "$temporary"' EXIT
    if ! git cat-file -e "$base:$tracked" 2> /dev/null; then
      text="$(printf '## New configuration\n\nThe base has no `config.yaml` at this path.')"
      status=0
    else
      # All files of the base, because a configuration can refer to files in other folders.
      GIT_INDEX_FILE="$temporary/index" git read-tree "$base"
      GIT_INDEX_FILE="$temporary/index" git checkout-index --all --prefix="$temporary/base/"
      status=0
      text=$(node "$tool" diff --format=markdown -- "$temporary/base/$tracked" "$config") || status=$?
      # Without a comparison, one of the configurations has errors, which are in the log.
      [ -n "$text" ] || exit "$status"
    fi
    printf '%s\n' "$text" >> "$GITHUB_STEP_SUMMARY"
    # A comment on GitHub has at most 65,536 characters.
    if [ "${#text}" -gt 60000 ]; then
      text="${text:0:59900}"$'\n\n… The summary of the job has all changes.'
    fi
    set_output diff "$text"
    if [ "$status" -eq 0 ]; then
      set_output breaking false
    else
      set_output breaking true
      [ "${INPUT_FAIL_ON_BREAKING:-false}" != true ] || fail 'The change breaks clients. See the summary of the job.'
    fi
    ;;

  build)
    out=${INPUT_OUT:-$(dirname -- "$config")/service}
    case ${INPUT_BUILD:-auto} in
      true) ;;
      auto)
        if [ ! -d "./$out" ]; then
          echo 'Not built: there is no folder of the service.'
          exit 0
        fi
        ;;
      false) exit 0 ;;
      *) fail "The input build is auto, true or false: $INPUT_BUILD" ;;
    esac
    status=0
    output=$(node "$tool" build --check --format=github --out="./$out" -- "$config") || status=$?
    # The step of check has annotated errors and warnings.
    if [ "$status" -eq 1 ]; then
      echo 'Not compared: the configuration has errors.'
      exit 1
    fi
    printf '%s\n' "$output" | sed '/^::warning /d'
    [ "$status" -ne 3 ] || fail "The folder ${out#./} differs from the configuration. Run apikiln build, and commit the folder."
    exit "$status"
    ;;

  *) fail "Unknown step: $1" ;;
esac

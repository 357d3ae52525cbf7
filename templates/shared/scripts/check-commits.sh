#!/bin/sh
# Commit messages follow Conventional Commits (https://www.conventionalcommits.org), in English:
#
#     type(scope): description     the scope may be left out, a ! before the colon marks a breaking change
#
#   sh scripts/check-commits.sh FROM TO           the commits after FROM up to TO, as CI checks them
#   sh scripts/check-commits.sh --message FILE    one message, as the hook .githooks/commit-msg checks it
set -eu

types='feat|fix|docs|style|refactor|perf|test|build|ci|chore|revert'
longest=100

# Why the message on standard input is refused; nothing if it is not.
problem() {
  awk -v types="$types" -v longest="$longest" '
    NR == 1 { header = $0 }
    NR == 2 { second = $0 }
    END {
      # As git and forges write it themselves, and it must be quick when something has to be taken back.
      if (header ~ /^Revert ".*"/) exit
      if (header !~ ("^(" types ")(\\([^()]+\\))?!?: [^ ]")) {
        gsub(/\|/, ", ", types)
        print "the first line must read \"type(scope): description\"; the scope may be left out, the types are " types
      }
      else if (length(header) > longest)
        print "the first line has " length(header) " characters, " longest " are allowed"
      else if (second != "") print "the second line must be empty"
    }'
}

check_message() {
  # What git leaves out of the message: comments, and everything below its scissors line.
  message=$(sed -e '/^# -* >8 -*$/,$d' -e '/^#/d' "$1")
  case $message in
    # Git makes these itself; a fixup disappears in the rebase that it is meant for. An empty one git refuses.
    '' | 'Merge '* | 'fixup! '* | 'squash! '* | 'amend! '*) return 0 ;;
  esac
  found=$(printf '%s\n' "$message" | problem)
  if [ -z "$found" ]; then return 0; fi
  printf 'Commit message not accepted: %s.\nFor example: fix(api): answer 404 for an unknown path\n' "$found" >&2
  return 1
}

check_range() {
  case $1 in
    *[!0]*) range="$1..$2" ;;
    *) range=$2 ;; # The branch is new.
  esac
  # After a force push the commit before may be nowhere.
  git rev-list "$range" -- >/dev/null 2>&1 || range="$2^!"
  commits=$(git rev-list --no-merges --reverse "$range" --)
  bad=0
  for commit in $commits; do
    found=$(git log --max-count=1 --format=%B "$commit" | problem)
    if [ -n "$found" ]; then
      bad=$((bad + 1))
      printf '%s: %s\n' "$(git log --max-count=1 --format='%h "%s"' "$commit")" "$found"
    fi
  done
  printf 'Commits checked: %s, not accepted: %s\n' "$(printf '%s' "$commits" | grep -c . || true)" "$bad"
  if [ "$bad" -gt 0 ]; then
    printf 'Reword them: git rebase --interactive, then git push --force-with-lease.\n'
    return 1
  fi
}

case $# in
  2) if [ "$1" = --message ]; then check_message "$2"; else check_range "$1" "$2"; fi ;;
  *)
    sed -n 's/^#   sh/Usage: sh/p' "$0" >&2
    exit 2
    ;;
esac

#!/bin/sh
# Checks the layout of all C and C++ sources with clang-format 22.
#   scripts/lint-format.sh         complains
#   scripts/lint-format.sh --fix   rewrites the files
set -eu
cd "$(dirname "$0")/.."

format=$(command -v clang-format-22 || true)
[ -n "$format" ] || format=/usr/lib/llvm-22/bin/clang-format
if [ ! -x "$format" ]; then
  echo "lint-format: clang-format 22 is not installed (package clang-format-22)" >&2
  exit 1
fi

if [ "${1:-}" = --fix ]; then
  set -- -i
else
  set -- --dry-run -Werror
fi
find include lib tools unittests benchmarks cmake \
  \( -name '*.h' -o -name '*.cpp' -o -name '*.c' \) -type f -print0 |
  xargs -0 -n 24 -P 2 "$format" --style=file "$@"

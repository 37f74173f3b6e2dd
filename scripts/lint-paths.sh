#!/bin/sh
# No file names a folder of the machine that it was written on.
set -eu
cd "$(dirname "$0")/.."

folders='work|root|home|tmp|mnt'
if grep -rnIE "(^|[^A-Za-z0-9_.}%])/($folders)/[A-Za-z0-9_.]" . \
    --exclude-dir=.git --exclude-dir='build*' --exclude-dir=.cache \
    --exclude=compile_commands.json >&2; then
  echo "lint-paths: the lines above name absolute paths of one machine" >&2
  exit 1
fi

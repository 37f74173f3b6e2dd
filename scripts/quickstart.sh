#!/usr/bin/env bash
# From a fresh checkout on Debian 12 to verified ring attention on four ranks.
#
#   scripts/quickstart.sh [--no-install]
#
# Installs the packages that are missing (as root or with sudo), builds
# mercury-run and mercury-opt in build/, and runs examples/attention.mlir. What
# has been done is not done again.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

install=yes
for argument in "$@"; do
  case $argument in
  --no-install) install=no ;;
  -h | --help)
    sed -n '2,/^set/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
    exit 0
    ;;
  *) die "unknown argument '$argument' (there is --no-install)" ;;
  esac
done

mkdir -p "$LOGS"
INSTALLED=
if [ ! -x "$BUILD/bin/mercury-run" ]; then
  say "Installs what is missing (where that is all of LLVM: 0.3 GB to download,"
  say "2.1 GB of disk) and builds. On two cores this takes about 4 to 6 minutes."
fi
[ $install = no ] || install_packages $BUILD_PACKAGES
if [ ! -f "$BUILD/build.ninja" ] || [ -n "$INSTALLED" ]; then
  say "Configuring"
  configure
fi

targets="mercury-run mercury-opt mercury-tune"
# Without OpenBLAS there is no such target.
if grep -q '^build mercury_blas:' "$BUILD/build.ninja"; then
  targets="$targets mercury_blas"
fi
build $targets
say "Ready after $(clock $SECONDS)."
say

run=${BUILD#"$PWD/"}/bin/mercury-run
example=${MERCURY_ROOT#"$PWD"}/examples/attention.mlir
example=${example#/}
[ -f "$example" ] || example=$MERCURY_ROOT/examples/attention.mlir

say "$run --verify --topology=gpu=4 --schedule=ring $example"
say
"$BUILD/bin/mercury-run" --verify --topology=gpu=4 --schedule=ring \
  "$MERCURY_ROOT/examples/attention.mlir"
say
say "Next:"
say "  $run --verify --topology=node=2,gpu=2 --schedule=ulysses $example"
say "  $run --emit=stage2 --topology=gpu=4 --schedule=ring $example"
say "  ${run%run}tune --topology=h100-sxm:node=2,gpu=4 --against=all $example"

#!/usr/bin/env bash
# Installs and builds what is missing, runs every test, and ends with the line
#   N passed, N failed, N skipped
# Fails when a test failed, a runner broke, or no test ran.
#
#   scripts/test.sh [--no-install] [--long]
#
# --long runs the tests that take more than a minute, too. Tests on IR of other
# compilers run where MERCURY_DATA_DIR names the folder with it; by default that
# is ../shared/data beside this checkout, where it exists.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

install=yes
long=OFF
for argument in "$@"; do
  case $argument in
  --no-install) install=no ;;
  --long) long=ON ;;
  -h | --help)
    sed -n '2,/^set/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
    exit 0
    ;;
  *) die "unknown argument '$argument' (there are --no-install and --long)" ;;
  esac
done

mkdir -p "$LOGS"
[ $install = no ] || install_packages $BUILD_PACKAGES $TEST_PACKAGES

data=${MERCURY_DATA_DIR:-}
if [ -z "$data" ] && [ -d "$MERCURY_ROOT/../shared/data" ]; then
  data=$(cd "$MERCURY_ROOT/../shared/data" && pwd)
fi
say "Configuring"
configure -DMERCURY_UNITTESTS=ON -DMERCURY_LONG_TESTS=$long \
  -DMERCURY_DATA_DIR="$data"
build all

# number PATTERN FILE : how often the pattern occurs in the file.
number() { { grep -oE "$1" "$2" 2>/dev/null || true; } | wc -l; }

broken=
cores=$(nproc)
lit=$(sed -n 's/^MERCURY_LIT:FILEPATH=//p' "$BUILD/CMakeCache.txt")
[ -x "$lit" ] || die "lit was not found (package llvm-22-tools)"
results=$LOGS/lit.json
rm -f "$results"
status=0
progress=
[ -t 1 ] || progress=--no-progress-bar
"$lit" -sv $progress -j "$cores" -o "$results" "$BUILD/test" || status=$?
passed=$(number '"code": "(PASS|FLAKYPASS|XFAIL)"' "$results")
failed=$(number '"code": "(FAIL|XPASS|TIMEOUT|UNRESOLVED)"' "$results")
skipped=$(number '"code": "(UNSUPPORTED|SKIPPED)"' "$results")
say "lit: $passed passed, $failed failed, $skipped skipped"
[ $((passed + failed)) -gt 0 ] || broken="lit ran no test"
[ $status -eq 0 ] || [ "$failed" -gt 0 ] || broken="lit broke (exit code $status)"

results=$LOGS/ctest.xml
rm -f "$results"
status=0
with_progress "Unit tests" "$LOGS/ctest.log" ctest --test-dir "$BUILD" \
  -j "$cores" --output-on-failure --output-junit "$results" || status=$?
# Shows what failed, without the lines of the tests that did not.
[ $status -eq 0 ] ||
  grep -vE '^ *Start +[0-9]+:|^ *[0-9]+/[0-9]+ Test +#.* Passed ' "$LOGS/ctest.log" || true
unit_passed=$(number '<testcase [^>]*status="run"' "$results")
unit_skipped=$(number '<skipped message="SKIP_|<testcase [^>]*status="disabled"' "$results")
# A test whose program is missing is "notrun" like one that was skipped.
unit_failed=$(number '<testcase [^>]*status="(fail|notrun|disabled)"' "$results")
unit_failed=$((unit_failed - unit_skipped))
say "ctest: $unit_passed passed, $unit_failed failed, $unit_skipped skipped"
[ $((unit_passed + unit_failed)) -gt 0 ] || broken="ctest ran no test"
[ $status -eq 0 ] || [ "$unit_failed" -gt 0 ] ||
  broken="ctest broke (exit code $status)"

say "Took $(clock $SECONDS)."
[ -z "$broken" ] || say "error: $broken"
failed=$((failed + unit_failed))
say "$((passed + unit_passed)) passed, $failed failed, $((skipped + unit_skipped)) skipped"
[ -z "$broken" ] && [ "$failed" -eq 0 ]

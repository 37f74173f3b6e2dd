#!/bin/sh
# Every RUN line of a lit test ends in something that can fail: FileCheck, diff,
# cmp, count, not, --verify-diagnostics or mercury-run --verify. A line may
# instead write a file that a later RUN line of the test reads, or prepare one
# (split-file, mkdir, rm).
#   scripts/lint-runlines.sh [FOLDER]    (default: test)
set -eu
cd "$(dirname "$0")/.."

find "${1:-test}" \( -name '*.mlir' -o -name '*.test' \) ! -path '*/Inputs/*' \
  -type f -print | LC_ALL=C sort | xargs awk '
# The command that a line ends with: what follows the last unquoted |, && or ;.
function lastCommand(text,    i, c, quote, start) {
  start = 1; quote = ""
  for (i = 1; i <= length(text); ++i) {
    c = substr(text, i, 1)
    if (quote != "") { if (c == quote) quote = ""; continue }
    if (c == "\"" || c == "\047") quote = c
    else if (c == "|" || c == ";" || (c == "&" && substr(text, i - 1, 1) == "&"))
      start = i + 1
  }
  text = substr(text, start)
  sub(/^[ \t]+/, "", text)
  return text
}
function complain(line, text, why) {
  printf "%s:%d: %s: %s\n", file, line, why, text
  bad = 1
}
# Whether a later line of the test names the file that this one writes.
function isReadLater(k, text,    name, j) {
  if (match(text, /(>|-o|--save[ =][0-9]+=)[ ]*%t[^ ]*/) == 0) return 0
  name = substr(text, RSTART, RLENGTH)
  sub(/^[^%]*/, "", name)
  for (j = k + 1; j <= n; ++j)
    if (index(run[j], name)) return 1
  return 0
}
function finish(    k, last, checked) {
  if (file == "") return
  if (pending != "") complain(pendingLine, pending, "RUN line that goes on ends the test")
  checked = 0
  for (k = 1; k <= n; ++k) {
    last = lastCommand(run[k])
    if (last ~ /^(%[{]?)?(FileCheck|diff|cmp|count|not|verify)([}]| |$)/ ||
        run[k] ~ /-verify-diagnostics/ ||
        last ~ /^mercury-run .*--verify( |$)/)
      checked = 1
    else if (!isReadLater(k, run[k]) && last !~ /^(split-file|mkdir|rm) /)
      complain(line[k], run[k], "RUN line without a checker")
  }
  if (!checked) complain(1, "", n ? "no RUN line checks anything" : "no RUN line")
}
FNR == 1 { finish(); file = FILENAME; n = 0; pending = "" }
/RUN:/ {
  text = $0
  sub(/^.*RUN:[ \t]*/, "", text)
  if (pending == "") pendingLine = FNR
  pending = pending text
  if (sub(/\\$/, " ", pending)) next
  run[++n] = pending; line[n] = pendingLine; pending = ""
}
END { finish(); exit bad }
' >&2

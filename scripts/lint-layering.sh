#!/bin/sh
# Checks the includes of include/ and lib/ against the direction of Mercury's
# libraries (docs/Architecture.md).
set -eu
cd "$(dirname "$0")/.."

# Part of the tree; what of Mercury it may include, beside itself; whether it may
# include MLIR, and LLVM. The longest part that matches a path counts.
rules='
Schedule                     -                                      no  no
Runtime                      -                                      no  no
Dialect/CommIR/IR            Schedule                               mlir llvm
Dialect/CommIR/Transforms    Schedule,Dialect/CommIR/IR             mlir llvm
Dialect/CommIR/TransformOps  Schedule,Dialect,Analysis,Transforms   mlir llvm
Dialect/Linalg               Schedule,Dialect/CommIR/IR             mlir llvm
Analysis                     Schedule,Dialect                       mlir llvm
Transforms                   Schedule,Dialect,Analysis              mlir llvm
Transforms/Gpu               Schedule,Dialect,Analysis,Transforms,Runtime/mercury_simt.h mlir llvm
Tuning                       Schedule,Dialect,Analysis,Transforms/ModuleTopology.h,Transforms/ScheduleChooser.h,Transforms/Local mlir llvm
Conversion                   Dialect/CommIR/IR,Runtime/mercury_nccl.h,Runtime/mercury_runtime.h mlir llvm
Target                       Schedule,Dialect/CommIR/IR             mlir llvm
Pipelines                    Schedule,Dialect,Transforms,Tuning,Conversion mlir llvm
'

# One line per include: path:line:included file
find include/Mercury lib -type f \
  \( -name '*.h' -o -name '*.cpp' -o -name '*.c' -o -name '*.td' \) -print |
  LC_ALL=C sort |
  xargs grep -nHE '^[[:space:]]*#?[[:space:]]*include[[:space:]]+["<]' |
  awk -v rules="$rules" '
BEGIN {
  count = split(rules, lines, "\n")
  for (i = 1; i <= count; ++i) {
    if (split(lines[i], word, " ") != 4) continue
    part[++parts] = word[1]; allowed[parts] = word[2]
    mlir[parts] = word[3]; llvm[parts] = word[4]
  }
}
function isUnder(path, folder) {
  return path == folder || index(path, folder "/") == 1
}
function complain(why) { printf "%s:%s: includes %s: %s\n", file, at, name, why; bad = 1 }
{
  split($0, field, ":"); file = field[1]; at = field[2]
  name = $0
  sub(/^[^"<]*["<]/, "", name); sub(/[">].*$/, "", name)
  path = file; sub(/^(include\/Mercury|lib)\//, "", path)
  if (path !~ /\//) next                        # InitAll sees everything
  best = 0
  for (i = 1; i <= parts; ++i)
    if (isUnder(path, part[i]) && (!best || length(part[i]) > length(part[best])))
      best = i
  if (!best) { complain("no rule for this folder in scripts/lint-layering.sh"); next }
  if (name ~ /\.\.\//) { complain("a path upwards"); next }
  if (name ~ /^mlir(-c)?\//) {
    if (mlir[best] != "mlir") complain(part[best] " sees no MLIR")
  } else if (name ~ /^llvm(-c)?\//) {
    if (llvm[best] != "llvm") complain(part[best] " sees no LLVM")
  } else if (name ~ /^Mercury\//) {
    target = substr(name, 9)
    ok = isUnder(target, part[best])
    # A more special part is not part of the general one.
    n = split(allowed[best], may, ",")
    for (i = 1; i <= n; ++i) ok = ok || isUnder(target, may[i])
    if (!ok)
      complain(part[best] " may include " \
               (allowed[best] == "-" ? "only itself" : "itself and " allowed[best]))
  }
}
END { exit bad }
' >&2

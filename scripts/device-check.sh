#!/usr/bin/env bash
# Checks Mercury's device code and runtime on a machine with one CUDA device.
#
#   scripts/device-check.sh prepare FOLDER [--chip=sm_90a]
#   scripts/device-check.sh FOLDER
#
# `prepare` runs where Mercury builds (ptxas needed, no device): it compiles the
# programs for the chip (sm_80, sm_89, sm_90a, sm_100), with random arguments and
# the reference in f64 for each, into FOLDER, which holds all that the check
# needs. Take FOLDER and this script to the machine with the device: there only
# its driver is needed. NCCL and cuBLASLt are used where they are found.
#
# The check runs each kernel, then schedules with four ranks that share the
# device, then NCCL with one rank, then measures times; it takes a few minutes.
# Exit codes are those of mercury-check; 77: there is no device.
set -euo pipefail

usage() {
  sed -n '2,/^set/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" | sed '$d'
}

# Everything that is compiled: kind, name, then mercury-run's arguments. Kinds:
# verify (with arguments and reference), time (random arguments), library (as
# time, contractions by cuBLASLt: what the package of the same name is compared
# with).
programs() {
  local kernels=$ROOT/test/Integration/Cuda/Inputs/kernels.mlir
  local speed=$ROOT/test/Integration/Cuda/Inputs/speed.mlir
  local name
  for name in $(sed -n 's/^func.func @\([a-z0-9_]*\).*/\1/p' "$kernels"); do
    echo "verify kernel-$name $kernels --entry=$name"
  done
  local example
  for example in gemm-bf16:all_gather_gemm_shifted \
    gemm-bf16:gemm_reduce_scatter_shifted attention-bf16:ring \
    attention-bf16:ulysses; do
    echo "verify ${example#*:}-bf16 $ROOT/examples/gpu/${example%:*}.mlir" \
      "--topology=gpu=4 --schedule=${example#*:}"
  done
  echo "verify double_ring-bf16 $ROOT/examples/gpu/attention-bf16.mlir" \
    "--topology=node=2,gpu=2 --schedule=double_ring"
  for name in all_gather_gemm_shifted gemm_reduce_scatter_shifted; do
    echo "verify $name-f32 $ROOT/examples/gemm.mlir --topology=gpu=4" \
      "--schedule=$name"
  done
  for name in ring ulysses; do
    echo "verify $name-f32 $ROOT/examples/attention.mlir --topology=gpu=4" \
      "--schedule=$name"
  done
  echo "verify double_ring-f32 $ROOT/examples/attention.mlir" \
    "--topology=node=2,gpu=2 --schedule=double_ring"
  for name in $(sed -n 's/^func.func @\([a-z0-9_]*\).*/\1/p' "$speed"); do
    echo "time speed-$name $speed --entry=$name"
    case $name in
    gemm_*) echo "library speed-$name-library $speed --entry=$name" ;;
    esac
  done
}

prepare() {
  . "$ROOT/scripts/common.sh"
  local folder=$1 chip=$2 kind name arguments
  mkdir -p "$folder/bin" "$folder/lib" "$folder/packages"
  cp "$BUILD/bin/mercury-check" "$folder/bin/"
  cp "$BUILD/lib/libmercury_cuda.so" "$folder/lib/"
  : >"$folder/list"
  while read -r kind name arguments; do
    local package=$folder/packages/$name options=
    case $kind in
    verify) options=--verify ;;
    library) options=--local=library ;;
    esac
    say "$name"
    # shellcheck disable=SC2086 # words are arguments
    "$BUILD/bin/mercury-run" --target=cuda --chip="$chip" $options \
      --save-package="$package" $arguments
    "${CC:-cc}" -shared -o "$package/program.so" "$package/program.o"
    rm "$package/program.o"
    echo "$kind $name" >>"$folder/list"
  done < <(programs)
  cp "${BASH_SOURCE[0]}" "$folder/device-check.sh"
  say "Prepared for $chip: $(du -sh "$folder" | cut -f1) in $folder"
}

check() {
  local folder=$1 packages=() kind name
  [ -x "$folder/bin/mercury-check" ] || {
    echo "device-check: $folder is not a prepared folder" >&2
    exit 2
  }
  while read -r kind name; do
    case $kind in
    verify) packages+=("$folder/packages/$name") ;;
    time)
      if [ -d "$folder/packages/$name-library" ]; then
        packages+=("$folder/packages/$name=$folder/packages/$name-library")
      else
        packages+=("$folder/packages/$name")
      fi
      ;;
    esac
  done <"$folder/list"
  exec "$folder/bin/mercury-check" --nccl "${packages[@]}"
}

case ${1:-} in
prepare)
  ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
  [ $# -ge 2 ] || { usage >&2; exit 2; }
  folder=$2 chip=sm_90a
  for argument in "${@:3}"; do
    case $argument in
    --chip=*) chip=${argument#--chip=} ;;
    *) echo "device-check: unknown argument '$argument'" >&2; exit 2 ;;
    esac
  done
  prepare "$folder" "$chip"
  ;;
-h | --help) usage ;;
"") usage >&2; exit 2 ;;
*) check "$1" ;;
esac

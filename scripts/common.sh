# shellcheck shell=bash disable=SC2034
# Sourced by quickstart.sh and test.sh: packages, configuration, progress.
# Nothing here needs more than bash, coreutils, sed, grep and apt.

MERCURY_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
BUILD=${MERCURY_BUILD_DIR:-$MERCURY_ROOT/build}
LOGS=$BUILD/logs

# What a build needs on Debian 12; clang-22 brings the C++ library.
BUILD_PACKAGES="libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22-tools clang-22
  lld-22 cmake ninja-build ccache libopenblas-dev
  libexpat1-dev"

# What tests need beside it: the runtime of ThreadSanitizer, psutil, with which lit
# ends a test that hangs, and two implementations of MPI.
TEST_PACKAGES="libgtest-dev libclang-rt-22-dev python3-psutil mpich libmpich-dev
  openmpi-bin libopenmpi-dev"

# ccache may reuse objects that were built with the precompiled header.
export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime

say() { printf '%s\n' "$*"; }
die() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# A time in seconds, as 0:07 or 12:34.
clock() { printf '%d:%02d' $(($1 / 60)) $(($1 % 60)); }

# One compiler a core, as long as each has 1.5 GiB of memory.
job_count() {
  local cores memory
  cores=$(nproc)
  memory=$(sed -n 's/^MemTotal: *\([0-9]*\) kB/\1/p' /proc/meminfo)
  memory=$((${memory:-1572864} / 1572864))
  [ "$memory" -ge 1 ] || memory=1
  echo "${MERCURY_JOBS:-$((cores < memory ? cores : memory))}"
}

# How far the command that writes to a log is: ninja's [done/all], ctest's done/all,
# or what apt has unpacked and set up.
how_far() {
  local last all
  last=$(tail -c 4000 "$1" | tr '\r' '\n' | sed -n 's|^\[\([0-9]*/[0-9]*\)\].*|\1|p' |
    tail -n 1)
  if [ -z "$last" ]; then
    last=$(tail -c 4000 "$1" | sed -n 's|^ *\([0-9]*/[0-9]*\) Test .*|\1|p' | tail -n 1)
  fi
  if [ -z "$last" ]; then
    all=$(sed -n 's/.* \([0-9]*\) newly installed.*/\1/p' "$1" | tail -n 1)
    if [ -n "$all" ]; then
      if grep -q '^Unpacking' "$1"; then
        last="$(($(grep -cE '^(Unpacking|Setting up)' "$1") * 50 / all))%"
      else
        last="downloaded $(grep -c '^Get:' "$1") of $all"
      fi
    fi
  fi
  echo "$last"
}

# with_progress LABEL LOG COMMAND...
# Runs the command with its output in LOG and says how far it is: in one line that
# changes on a terminal, else in a line every half minute. Returns its status.
with_progress() {
  local label=$1 log=$2 start=$SECONDS said=$SECONDS status=0
  shift 2
  "$@" >"$log" 2>&1 </dev/null &
  local child=$!
  trap 'kill '$child' 2>/dev/null; exit 130' INT TERM
  while kill -0 $child 2>/dev/null; do
    if [ -t 1 ]; then
      printf '\r\033[K%s  %s  %s' "$label" "$(how_far "$log")" \
        "$(clock $((SECONDS - start)))"
    elif [ $((SECONDS - said)) -ge 30 ]; then
      said=$SECONDS
      say "$label  $(how_far "$log")  $(clock $((SECONDS - start)))"
    fi
    sleep 0.5
  done
  wait $child || status=$?
  trap - INT TERM
  [ ! -t 1 ] || printf '\r\033[K'
  if [ $status -eq 0 ]; then
    say "$label  done in $(clock $((SECONDS - start)))"
  else
    say "$label  failed after $(clock $((SECONDS - start)))"
  fi
  return $status
}

is_installed() {
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# install_packages PACKAGE... : installs those that are missing; sets INSTALLED to
# them.
install_packages() {
  INSTALLED=""
  local package missing="" root="" log=$LOGS/packages.log
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    die "this is no Debian system. Install what these packages hold, and run
       this again with --no-install:" "$@"
  fi
  for package in "$@"; do
    is_installed "$package" || missing="$missing $package"
  done
  [ -n "$missing" ] || return 0

  if [ "$(id -u)" -ne 0 ]; then
    # sudo asks for a password only where someone can type it.
    if command -v sudo >/dev/null && { sudo -n true 2>/dev/null ||
      { [ -t 0 ] && sudo -v; }; }; then
      root="sudo"
    else
      die "packages are missing, and installing them needs root or sudo. As root:
         apt-get update && apt-get install --no-install-recommends$missing
       Then run this again."
    fi
  fi
  # shellcheck disable=SC2086
  set -- $missing
  say "Missing packages:$missing"
  with_progress "Reading package lists" "$log" \
    $root apt-get -o DPkg::Lock::Timeout=300 update ||
    { tail -n 20 "$log" >&2; die "apt-get update failed (whole output: $log)"; }
  for package in "$@"; do
    [ -n "$(apt-cache show "$package" 2>/dev/null)" ] || die \
      "apt knows no package $package. LLVM 22 is in the security updates of
       Debian 12: is the suite bookworm-security, component main, among your
       sources (/etc/apt/sources.list, /etc/apt/sources.list.d)?"
  done
  with_progress "Installing packages" "$log" \
    $root env DEBIAN_FRONTEND=noninteractive apt-get -y \
    -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 \
    install --no-install-recommends "$@" ||
    { tail -n 20 "$log" >&2; die "installing packages failed (whole output: $log)"; }
  INSTALLED=$missing
}

# configure ARGUMENT... : cmake with the preset `release`.
configure() {
  (cd "$MERCURY_ROOT" && cmake --preset release -B "$BUILD" "$@") \
    >"$LOGS/configure.log" 2>&1 ||
    { cat "$LOGS/configure.log" >&2; die "cmake failed (output above)"; }
}

# build TARGET... : nothing is said where nothing is to do.
build() {
  local log=$LOGS/build.log
  if [ -z "$(ninja -C "$BUILD" -n "$@" 2>&1 | sed -n '/^\[/p')" ]; then
    return 0
  fi
  with_progress "Building" "$log" ninja -C "$BUILD" -j "$(job_count)" "$@" || {
    sed -n '/^FAILED:/,$p' "$log" | head -n 60 >&2
    die "the build failed (whole output: $log)"
  }
}

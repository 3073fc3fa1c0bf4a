# shellcheck shell=bash
# Sourced by quickstart and test: what must be on the machine and how it gets there. Each function does nothing where all
# is there already, and says what it will download before it does.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
venv="$root/.venv"
locks="$root/configs/python"
python=""          # the interpreter in use, once choose_python or make_environment found it
python_base=""     # the interpreter that .venv is made with
packages=()        # Debian packages that are missing

step() { printf '\n== %s\n' "$*"; }
say() { printf '   %s\n' "$*"; }

# die EXIT SENTENCE...
die() {
  local code=$1
  shift
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit "$code"
}

have() { command -v "$1" > /dev/null 2>&1; }

# -- Debian packages --------------------------------------------------------------------------------------------------

have_package() { [[ $(dpkg-query -W -f '${db:Status-Status}' "$1" 2> /dev/null) == installed ]]; }

# want_tool PROGRAM PACKAGE: any program of that name will do, wherever it came from.
want_tool() { have "$1" || packages+=("$2"); }

want_build_packages() {
  want_tool c++ g++
  want_tool cmake cmake
  want_tool ninja ninja-build
  want_tool ccache ccache
  have dpkg-query || return 0 # another distribution: configure names the libraries that are missing
  local package
  while read -r package; do
    have_package "$package" || packages+=("$package")
  done < <(sed -nE 's/^ *kernelmesh_library_of\([a-z0-9_]+ ([^ ]+) .*/\1/p; s/^ *kernelmesh_header_of\(([^ ]+) .*/\1/p' \
    "$root/cmake/dependencies.cmake")
}

want_check_packages() {
  want_tool clang-format clang-format
  want_tool shellcheck shellcheck
}

as_root() {
  if ((EUID == 0)); then "$@"; else sudo "$@"; fi
}

download_size() {
  { apt-get --assume-no --no-install-recommends install "${packages[@]}" 2> /dev/null || true; } \
    | grep -E '^Need to get' || echo "the size is not known"
}

install_packages() {
  step "Debian packages"
  if ((${#packages[@]} == 0)); then
    say "all there"
    return
  fi
  say "missing: ${packages[*]}"
  local by_hand="apt-get install ${packages[*]}"
  have apt-get || die 3 "there is no apt-get here. Install what Debian calls: ${packages[*]}"
  ((EUID == 0)) || have sudo || die 3 "neither root nor sudo. As root: $by_hand"
  export DEBIAN_FRONTEND=noninteractive
  say "apt-get update: refreshing the list of packages, some 10 MB"
  as_root apt-get -qq -o DPkg::Lock::Timeout=120 update || say "the list could not be refreshed; going on with the one that is there"
  say "apt-get install: $(download_size)"
  as_root apt-get -qq -y -o DPkg::Lock::Timeout=120 -o Dpkg::Use-Pty=0 --no-install-recommends install "${packages[@]}" > /dev/null \
    || die 3 "the packages could not be installed. To see why: $by_hand"
}

# -- Python -----------------------------------------------------------------------------------------------------------

# python_problem PYTHON MODULE...: prints why this interpreter can't be used, and nothing if it can.
python_problem() {
  local found version module
  found=$("$1" "$root/configs/check_python.py" --quick 2> /dev/null | grep '^kernelmesh-python ') || {
    echo "does not run"
    return
  }
  if [[ $found != *'"missing": {}'* ]]; then
    echo "lacks some of torch, numpy, pyzmq, msgpack"
    return
  fi
  version=$(sed -E 's/.*"python": "([0-9]+\.[0-9]+).*/\1/' <<< "$found")
  if [[ $(printf '%s\n3.11\n' "$version" | sort -V | head -n 1) != 3.11 ]]; then
    echo "is Python $version, 3.11 or later is needed"
    return
  fi
  version=$(sed -E 's/.*"torch": "([0-9]+\.[0-9]+).*/\1/' <<< "$found")
  if [[ $(printf '%s\n2.4\n' "$version" | sort -V | head -n 1) != 2.4 ]]; then
    echo "has torch $version, 2.4 or later is needed"
    return
  fi
  for module in "${@:2}"; do
    "$1" -c "import importlib.util as u, sys; sys.exit(u.find_spec('$module') is None)" 2> /dev/null || echo "lacks $module"
  done
}

# made_from LOCK: is .venv what this lock says?
made_from() { cmp -s "$locks/$1" "$venv/$1" && [[ -x $venv/bin/python ]]; }

find_python_base() {
  local x
  for x in python3 python3.13 python3.12 python3.11; do
    have "$x" || continue
    "$x" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2> /dev/null || continue
    python_base=$(command -v "$x")
    return
  done
  python_base=/usr/bin/python3
  packages+=(python3 python3-venv)
}

# choose_python WANTED LOCK MODULE...: sets `python`, or leaves it empty if .venv has to be made; changes nothing.
# WANTED: as the user named it; empty: the active virtual environment, else .venv. MODULEs: needed beside the usual.
choose_python() {
  local wanted=$1 lock=$2 problem
  shift 2
  if [[ -n $wanted ]]; then
    have "$wanted" || die 2 "--python: there is no $wanted"
    wanted=$(command -v "$wanted")
    problem=$(python_problem "$wanted" "$@")
    [[ -z $problem ]] || die 2 "--python: $wanted $problem"
    python=$wanted
    return
  fi
  if [[ -n ${VIRTUAL_ENV:-} && $VIRTUAL_ENV != "$venv" ]]; then
    problem=$(python_problem "$VIRTUAL_ENV/bin/python" "$@")
    if [[ -z $problem ]]; then
      python=$VIRTUAL_ENV/bin/python
      return
    fi
    say "the active environment $VIRTUAL_ENV ${problem//$'\n'/, }: not used"
  fi
  if made_from "$lock" && [[ -z $(python_problem "$venv/bin/python" "$@") ]]; then
    python=$venv/bin/python
  else
    find_python_base
  fi
}

# make_tools PYTHON: a virtual environment beside the build, for installers alone.
tools=$root/build/tools
make_tools() { "$tools/bin/pip" --version > /dev/null 2>&1 || "$1" -m venv "$tools"; }

# Prints the uv to use; installs one beside the build if there is none. Fails if there is no way to get it.
find_uv() {
  if uv --version > /dev/null 2>&1; then
    echo uv
  elif "$tools/bin/uv" --version > /dev/null 2>&1; then
    echo "$tools/bin/uv"
  else
    say "uv, an installer: 25 MB, into ${tools#"$root/"}" >&2
    make_tools "$python_base" >&2 && "$tools/bin/pip" install --quiet --disable-pip-version-check uv >&2 && echo "$tools/bin/uv"
  fi
}

install_with_uv() {
  local uv
  uv=$(find_uv) || return
  "$uv" venv --quiet --allow-existing --python "$python_base" "$venv" \
    && "$uv" pip install --quiet --python "$venv/bin/python" --requirement "$locks/$1"
}

install_with_pip() {
  "$python_base" -m venv "$venv" \
    && "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --requirement "$locks/$1"
}

# Compiled once, by who may write there: workers may not, and would do it again at each of their starts.
compile_modules() {
  say "compiling torch's modules"
  env -u PYTHONDONTWRITEBYTECODE "$venv/bin/python" -c "import torch._inductor.compile_fx, torch._subclasses.fake_tensor" \
    || say "some could not be imported; going on"
}

# make_environment LOCK: nothing to do if choose_python found an interpreter.
make_environment() {
  step "Python"
  if [[ -n $python ]]; then
    say "$python, with torch $("$python" -c 'from importlib import metadata; print(metadata.version("torch"))')"
    return
  fi
  if ! made_from requirements.lock && ! made_from dev.lock; then
    say "torch and what it needs: 3 GB to download, 5.5 GB on disk, into $venv"
    local free_kb
    free_kb=$(df -Pk "$root" | awk 'NR == 2 { print $4 }')
    ((free_kb > 6000000)) || die 3 "only $((free_kb / 1000)) MB are free on the disk of $root, 6000 are needed"
  fi
  say "installing $1"
  rm -f "$venv/$1"
  install_with_uv "$1" || {
    say "uv could not do it; trying pip, which takes some minutes"
    install_with_pip "$1" || die 3 "the Python packages could not be installed. What pip and uv say stands above"
  }
  compile_modules
  cp "$locks/$1" "$venv/$1"
  python=$venv/bin/python
  say "$python"
}

# -- C++ --------------------------------------------------------------------------------------------------------------

# build PRESET: its build folder is build/PRESET.
build() {
  (cd "$root" && cmake --preset "$1" -Wno-dev > "$root/build/configure.log" 2>&1) || {
    cat "$root/build/configure.log" >&2
    return 1
  }
  cmake --build "$root/build/$1" --parallel "$(nproc)"
}

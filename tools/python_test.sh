#!/usr/bin/env bash
# Installs the wheel as docs/start/install.md says, into fresh virtual environments, and runs the tests: the
# newest packages of PyPI on every Python from 3.10 to 3.13 that is installed, and Debian's packages
# on Debian's own. `engines` runs the slow tests with Dask, Spark, DiCE, XGBoost and Jupyter from
# PyPI. `root` installs the wheel in a minimal Debian, which has nothing but Python, and runs the
# tests that need no more than NumPy; it needs mmdebstrap and the rights of root. Afterwards mypy and
# ruff check the sources.
# Usage: tools/python_test.sh WHEEL_DIR [VERSION...]   such as: tools/python_test.sh build/wheel 3.12 debian lint
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
folder=$(cd "$1" && pwd)
shift
wheel=$(ls "$folder"/dist/*.whl)
[[ $# -gt 0 ]] || set -- 3.10 3.11 3.12 3.13 debian engines root lint

# The interpreter of a version: the one on the path, or of pyenv.
interpreter() {
  local found
  for found in "$(command -v "python$1" || true)" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$1".*/bin/python3; do
    if [[ -x $found ]] && "$found" -c 'import venv' 2>/dev/null; then
      echo "$found"
      return
    fi
  done
}

fresh() {
  rm -rf "$folder/test-$1"
  "$2" -m venv "${@:3}" "$folder/test-$1"
  "$folder/test-$1/bin/pip" --quiet --disable-pip-version-check install "$wheel"
}

run_tests() {
  echo "== $1"
  # Away from the sources, so that the installed package is the one that is tested.
  (cd "$folder" && CROCO_SOURCE_DIR=$OLDPWD "$folder/test-$1/bin/python" -B -m pytest -q \
    -p no:cacheprovider "$OLDPWD/python/tests" "${@:2}")
}

# A Debian 12 of its own below the temporary folder. Packages of Python are loaded outside of it, so
# that it needs no connection, and no libraries but those that the wheel carries.
in_minimal_root() (
  root=$(mktemp -d)
  trap 'rm -rf --one-file-system "$root"' EXIT
  mmdebstrap --quiet --variant=minbase --include=python3-venv bookworm "$root"
  "$folder/env/bin/pip" --quiet --disable-pip-version-check download --dest "$root/opt/wheels" \
    --python-version 3.11 --only-binary :all: "$wheel" pytest
  cp -r python/tests "$root/opt/tests"
  # Programs find the libraries beside them by /proc/self/exe; the mount ends with the tests.
  unshare --mount sh -eu -c 'mount -t proc proc "$1/proc"; exec chroot "$@"' sh "$root" \
    /usr/bin/env -i PATH=/usr/bin:/bin LANG=C.UTF-8 sh -eu -c '
    python3 -m venv /opt/env
    /opt/env/bin/pip --quiet install --no-index --find-links /opt/wheels croco pytest
    /opt/env/bin/croco --version
    cd /opt
    /opt/env/bin/python -B -m pytest -q -p no:cacheprovider tests/test_numpy_alone.py tests/test_calls.py'
)

skipped=()
for version in "$@"; do
  case $version in
    debian)
      fresh debian /usr/bin/python3 --system-site-packages
      run_tests debian
      run_tests debian -m slow
      ;;
    engines)
      fresh engines /usr/bin/python3
      # TensorFlow is for the example of DiCE's README.
      "$folder/test-engines/bin/pip" --quiet --disable-pip-version-check install pytest pandas scikit-learn \
        'dask[dataframe,distributed]' pyspark pyarrow dice-ml tensorflow-cpu xgboost-cpu nbclient ipykernel
      run_tests engines -m slow
      ;;
    root)
      if ! command -v mmdebstrap >/dev/null; then
        skipped+=("root: there is no mmdebstrap (Debian: mmdebstrap)")
      elif [[ $(id -u) -ne 0 ]]; then
        skipped+=("root: only root can change into another root")
      else
        echo "== a minimal Debian"
        in_minimal_root
      fi
      ;;
    lint)
      echo "== mypy and ruff"
      [[ -x $folder/lint/bin/python ]] || /usr/bin/python3 -m venv "$folder/lint"
      "$folder/lint/bin/pip" --quiet --disable-pip-version-check install mypy ruff numpy
      "$folder/lint/bin/mypy"
      "$folder/lint/bin/ruff" check python
      ;;
    *)
      python=$(interpreter "$version")
      if [[ -z $python ]]; then
        skipped+=("$version: there is no such Python")
        continue
      fi
      fresh "$version" "$python"
      "$folder/test-$version/bin/pip" --quiet --disable-pip-version-check install \
        pytest pandas scikit-learn pyarrow polars matplotlib tqdm
      run_tests "$version"
      ;;
  esac
done
for reason in "${skipped[@]}"; do echo "skipped: $reason"; done

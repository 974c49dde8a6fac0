#!/usr/bin/env bash
# Installs the wheel into fresh virtual environments and runs the tests of the package there: the
# newest packages of PyPI on every Python from 3.10 to 3.13 that is installed, and Debian's packages
# on Debian's own. `engines` runs the slow tests with Dask, Spark, DiCE, XGBoost and Jupyter from
# PyPI. Afterwards mypy and ruff check the sources.
# Usage: tools/python_test.sh WHEEL_DIR [VERSION...]   such as: tools/python_test.sh build/wheel 3.12 debian lint
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
folder=$(cd "$1" && pwd)
shift
wheel=$(ls "$folder"/dist/*.whl)
[[ $# -gt 0 ]] || set -- 3.10 3.11 3.12 3.13 debian engines lint

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
        skipped+=("$version")
        continue
      fi
      fresh "$version" "$python"
      "$folder/test-$version/bin/pip" --quiet --disable-pip-version-check install \
        pytest pandas scikit-learn pyarrow polars matplotlib tqdm
      run_tests "$version"
      ;;
  esac
done
[[ ${#skipped[@]} -eq 0 ]] || echo "skipped, because there is no such Python: ${skipped[*]}"

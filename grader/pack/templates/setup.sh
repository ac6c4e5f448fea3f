#!/usr/bin/env bash
# Builds the image in which submissions are graded. Gradescope runs this once, as root, on plain
# Ubuntu 22.04, with the pack in /autograder/source.
#
# BASE_PYTHON: an interpreter to use instead of the one that is installed here: Python 3.11 or
# newer, with venv, readable by every user.
set -euo pipefail
umask 022

home=/autograder
python_version={{ python }}
uv_version=0.13.9 # has the checksum of every interpreter that it installs
extra_index={{ extra_index }} # PyTorch's index of CPU builds; if empty, several GB for CUDA are installed
[ -z "$extra_index" ] || export PIP_EXTRA_INDEX_URL=$extra_index
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_ROOT_USER_ACTION=ignore
export DEBIAN_FRONTEND=noninteractive

# Ubuntu 22.04 has Python 3.10, and of 3.11 a release candidate that torch does not support; other
# archives drop versions. uv is one pinned wheel and installs a release, under /autograder: workers
# run as users that cannot read root's home.
base=${BASE_PYTHON:-}
if [ -z "$base" ]; then
  apt-get update
  apt-get install -y --no-install-recommends ca-certificates python3-venv
  python3 -m venv "$home/uv"
  "$home/uv/bin/pip" install "uv==$uv_version"
  export UV_PYTHON_INSTALL_DIR=$home/python
  "$home/uv/bin/uv" python install --no-bin "$python_version"
  base=$(realpath "$("$home/uv/bin/uv" python find --managed-python "$python_version")")
  rm -rf "$home/uv"
fi

# Only the dependencies. The grader runs from /autograder/source, which only root can read; workers
# can read installed packages.
cd "$home/source"
rm -rf "$home/venv"
"$base" -m venv "$home/venv"
python=$home/venv/bin/python
"$python" -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["dependencies"], sep="\n")' \
  >"$home/venv/requirements.txt"
"$python" -m pip install -c constraints.txt -r "$home/venv/requirements.txt"

# Each submission gets a new copy of this image: files not compiled now are compiled each time.
"$python" -m compileall -q .
library=$("$python" -c 'import sysconfig; print(sysconfig.get_path("stdlib"))')
"$python" -m compileall -q -x '/(test|tests|lib2to3|site-packages)/' "$library" || true

# Checks that other users can read the dependencies but not the grader; else no image is built.
chmod -R go= "$home/source"
cd /
runuser -u nobody -- "$python" -c 'import torch._dynamo; print("torch", torch.__version__)'
if runuser -u nobody -- ls "$home/source" 2>/dev/null; then
  echo "other users can read $home/source, which holds the hidden tests" >&2
  exit 1
fi
cd "$home/source"
"$python" -m grader grade --help >/dev/null
echo "The autograder is set up."

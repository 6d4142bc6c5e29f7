"""Fetches the sources at their commits: fetch.py WORK. Writes WORK/raw/<owner>+<name>/<path>."""
import os
import re
import subprocess
import sys

from sources import read_sources


def git(folder, *arguments):
    return subprocess.run(["git", "-C", folder, *arguments], check=True, capture_output=True).stdout


def fetch(source, raw, mirrors):
    """Gets the one commit of a repository and writes the files that are wanted."""
    mirror = os.path.join(mirrors, source.folder)
    os.makedirs(mirror, exist_ok=True)
    git(mirror, "init", "--quiet", "--bare")
    url = f"https://github.com/{source.repository}"
    git(mirror, "fetch", "--quiet", "--depth", "1", url, source.commit)
    listing = git(mirror, "ls-tree", "-r", "-z", "--name-only", source.commit).decode("utf-8", "replace")
    paths = [path for path in listing.split("\0") if path and re.search(source.files, path)]
    for path in paths:
        target = os.path.join(raw, source.folder, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "wb") as file:
            file.write(git(mirror, "show", f"{source.commit}:{path}"))
    print(source.repository, source.commit, len(paths), flush=True)


def main(work):
    for source in read_sources():
        fetch(source, os.path.join(work, "raw"), os.path.join(work, "mirrors"))


if __name__ == "__main__":
    main(sys.argv[1])

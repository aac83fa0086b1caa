"""``enact-assets export --format vlmevalkit``: the Hugging Face folder, and a TSV with its class.

::

    vlmevalkit/ENACT.tsv          to be copied to $LMUData
    vlmevalkit/images/ENACT/      its pictures (hard links where the disk has them)
    vlmevalkit/enact_dataset.py   the class ENACT, and `register` (there are no plugins)

A name that VLMEvalKit does not know becomes its own class for any TSV, which puts pictures first
and cannot score.
"""

import json
from pathlib import Path

import polars as pl

from enact_assets.commands.harnesses.folder import FolderExported, write_text
from enact_assets.commands.harnesses.question_rows import PICTURE_HERE
from enact_assets.commands.harnesses.score_file import score_source
from enact_assets.commands.release.pictures import link_picture
from enact_assets.engine.system.atomic import cannot_write, flush_tree, make_folder, replacing

FOLDER, NAME = "vlmevalkit", "ENACT"
_CLASS = f'''

import os
import json

import pandas as pd
from vlmeval.dataset.image_base import ImageBaseDataset
from vlmeval.smp import LMUDataRoot, dump, load


class ENACT(ImageBaseDataset):
    """Exported ENACT questions: texts and pictures in order, scored by their verifier."""

    TYPE = "VQA"
    MODALITY = "IMAGE"

    @classmethod
    def supported_datasets(cls):
        return ["{NAME}"]

    def load_data(self, dataset):
        # Answers such as [2, 1] stay text, and so do ids that look like numbers.
        return pd.read_csv(os.path.join(LMUDataRoot(), dataset + ".tsv"), sep="\\t", dtype=str)

    def build_prompt(self, line):
        if isinstance(line, int):
            line = self.data.iloc[line]
        paths, parts = self.dump_image(line), []
        for place, text in enumerate(line["question"].split("{PICTURE_HERE}")):
            if place:
                parts.append(dict(type="image", value=paths[place - 1]))
            if text:
                parts.append(dict(type="text", value=text))
        return parts

    def dump_image(self, line):
        folder = os.path.join(LMUDataRoot(), "images", self.dataset_name)
        return [os.path.join(folder, name) for name in line["image_path"]]

    def evaluate(self, eval_file, **judge_kwargs):
        """Scores of a file of answers, by kind and over all; no judge is asked."""
        answers = load(eval_file)
        said = dict(zip(answers["index"].astype(str), answers["prediction"]))
        rows = []
        for _, line in self.data.iterrows():
            if line["index"] in said:
                row = dict(kind=line["kind"], answer=json.loads(line["answer"]), fits=line["fits"])
                text = said[line["index"]]
                found = score_row(text if isinstance(text, str) else str(text), row)
                rows.append(dict(index=line["index"], kind=line["kind"], **found))
        scores = pd.DataFrame(rows)
        result = []
        for kind, of_it in [*scores.groupby("kind"), ("all", scores)]:
            result.append(
                dict(
                    kind=kind,
                    n=len(of_it),
                    task_accuracy=of_it["task"].mean(),
                    pairwise_accuracy=of_it["right"].sum() / of_it["steps"].sum(),
                    parsed=of_it["parsed"].mean(),
                    task_accuracy_as_release=of_it["task_as_release"].mean(),
                    pairwise_accuracy_as_release=(
                        of_it["right_as_release"].sum() / of_it["steps"].sum()
                    ),
                    n_read_otherwise=int(of_it["read_otherwise"].sum()),
                )
            )
        dump(scores, os.path.splitext(eval_file)[0] + "_scores.tsv")
        return pd.DataFrame(result)


def register():
    """Add the class to VLMEvalKit, before `run.py` builds data sets by name."""
    import vlmeval.dataset as datasets

    for known in (datasets.IMAGE_DATASET, datasets.DATASET_CLASSES):
        if ENACT not in known:
            known.append(ENACT)
    if "{NAME}" not in datasets.SUPPORTED_DATASETS:
        datasets.SUPPORTED_DATASETS.append("{NAME}")
'''


def write_vlmevalkit(exported: FolderExported) -> Path:
    """Write table, pictures and class into the folder that was exported, and return theirs.

    Errors: :class:`OutputError`.
    """
    folder = exported.folder / FOLDER
    pictures = folder / "images" / NAME
    try:
        make_folder(pictures)
        for name in sorted(set(exported.rows["images_file_names"].explode())):
            link_picture(exported.folder / name, pictures / Path(name).name)
        flush_tree(pictures)
    except OSError as error:
        raise cannot_write(pictures, error) from error
    rows = [
        {
            "index": row["question_id"],
            "question": row["question"],
            "answer": json.dumps(row["answer"]),
            "category": f"{row['kind']} {row['length']}",
            "kind": row["kind"],
            "fits": row["fits"],
            "image_path": json.dumps([Path(name).name for name in row["images_file_names"]]),
        }
        for row in exported.rows.iter_rows(named=True)
    ]
    with replacing(folder / f"{NAME}.tsv") as temporary:
        pl.DataFrame(rows).write_csv(temporary, separator="\t")
    write_text(folder / "enact_dataset.py", score_source() + _CLASS)
    return folder

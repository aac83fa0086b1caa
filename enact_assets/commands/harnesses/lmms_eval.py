"""``enact-assets export --format lmms-eval``: the Hugging Face folder, and tasks on it.

::

    lmms_eval/_enact_common       settings of both tasks (no suffix: lmms-eval loads *.yaml)
    lmms_eval/enact_forward.yaml  a task per kind
    lmms_eval/enact_inverse.yaml
    lmms_eval/enact.yaml          both
    lmms_eval/utils.py            what models are shown, and our scorer

Paths are absolute: lmms-eval starts relative ones at its working directory.
"""

from pathlib import Path

import yaml

from enact_assets.commands.harnesses.folder import FolderExported, write_text
from enact_assets.commands.harnesses.question_rows import PICTURE_HERE
from enact_assets.commands.harnesses.score_file import score_source
from enact_assets.questions.asked.templates import KINDS

FOLDER = "lmms_eval"
MAX_NEW_TOKENS = 1024
_MEANS = ("task_accuracy", "parsed", "task_accuracy_as_release", "read_otherwise")
_POOLED = ("pairwise_accuracy", "pairwise_accuracy_as_release")
_UTILS = f'''

def _only(kind):
    def keep(dataset):
        rows = [at for at, found in enumerate(dataset["kind"]) if found == kind]
        return dataset.select(rows)

    return keep


enact_forward_docs = _only("forward")
enact_inverse_docs = _only("inverse")


def enact_visuals(doc):
    return [image.convert("RGB") for image in doc["images"]]


def enact_text(doc, lmms_eval_specific_kwargs=None):
    return doc["question"]


def enact_messages(doc, lmms_eval_specific_kwargs=None):
    """Texts and pictures in order. Models of `models/simple` put pictures first: use others."""
    content, images = [], enact_visuals(doc)
    for place, text in enumerate(doc["question"].split("{PICTURE_HERE}")):
        if place:
            content.append({{"type": "image", "url": images[place - 1]}})
        if text:
            content.append({{"type": "text", "text": text}})
    return [{{"role": "user", "content": content}}]


def enact_target(doc):
    return str(doc["answer"])


def enact_results(doc, results):
    found = score_row(results[0], doc)
    return {{
        "task_accuracy": found["task"],
        "pairwise_accuracy": (found["right"], found["steps"]),
        "parsed": found["parsed"],
        "task_accuracy_as_release": found["task_as_release"],
        "pairwise_accuracy_as_release": (found["right_as_release"], found["steps"]),
        "read_otherwise": found["read_otherwise"],
    }}


def enact_pooled(counts):
    """Share of all steps: the micro-average of the paper."""
    return sum(right for right, _ in counts) / max(1, sum(steps for _, steps in counts))
'''


class _Function(str):
    """A function of utils.py, as lmms-eval names them in YAML."""

    __slots__ = ()


class _Dumper(yaml.SafeDumper):
    """YAML with :class:`_Function`."""


_Dumper.add_representer(
    _Function, lambda dumper, name: dumper.represent_scalar("!function", str(name))
)


def write_lmms_eval(exported: FolderExported) -> Path:
    """Write the tasks into the folder that was exported, and return theirs.

    Errors: :class:`OutputError`.
    """
    folder = exported.folder / FOLDER
    common = {
        "dataset_path": str(exported.folder.resolve()),
        "test_split": "test",
        "output_type": "generate_until",
        "doc_to_visual": _Function("utils.enact_visuals"),
        "doc_to_text": _Function("utils.enact_text"),
        "doc_to_messages": _Function("utils.enact_messages"),
        "doc_to_target": _Function("utils.enact_target"),
        "process_results": _Function("utils.enact_results"),
        # Without `until: []` an answer ends at its first blank line.
        "generation_kwargs": {
            "max_new_tokens": MAX_NEW_TOKENS, "temperature": 0, "do_sample": False, "until": [],
        },
        "metric_list": [
            {"metric": name, "aggregation": how, "higher_is_better": name != "read_otherwise"}
            for names, how in ((_MEANS, "mean"), (_POOLED, _Function("utils.enact_pooled")))
            for name in names
        ],
        "metadata": [{"version": exported.facts.version, "content": exported.facts.content_sha}],
    }  # fmt: skip
    write_text(folder / "_enact_common", yaml.dump(common, Dumper=_Dumper, sort_keys=False))
    kinds = [kind for kind in KINDS if kind in set(exported.rows["kind"])]
    for kind in kinds:
        task = {
            "include": "_enact_common",
            "task": f"enact_{kind}",
            "process_docs": _Function(f"utils.enact_{kind}_docs"),
        }
        text = yaml.dump(task, Dumper=_Dumper, sort_keys=False)
        write_text(folder / f"enact_{kind}.yaml", text)
    group = {
        "group": "enact",
        "task": [f"enact_{kind}" for kind in kinds],
        "aggregate_metric_list": [
            {"metric": name, "aggregation": "mean", "weight_by_size": True}
            for name in (*_MEANS, *_POOLED)
        ],
    }
    write_text(folder / "utils.py", score_source() + _UTILS)
    write_text(folder / "enact.yaml", yaml.safe_dump(group, sort_keys=False))
    return folder

import os
import zipfile
from functools import lru_cache

from huggingface_hub import hf_hub_download
from loguru import logger as eval_logger
from PIL import Image

from lmms_eval.tasks.enact.scoring import ACCURACIES, kind_of, mean, picture_name, read_evidence, score

REPO_ID, ARCHIVE = "MLL-Lab/ENACT", "QA.zip"
EVIDENCE = "ENACT_EVIDENCE"


def enact_forward_docs(dataset):
    return dataset.filter(lambda doc: kind_of(doc["type"]) == "forward")


def enact_inverse_docs(dataset):
    return dataset.filter(lambda doc: kind_of(doc["type"]) == "inverse")


def enact_doc_to_visual(doc):
    images = []
    with zipfile.ZipFile(_archive()) as archive:
        for name in doc["images"]:
            with archive.open(name) as file:
                images.append(Image.open(file).convert("RGB"))
    return images


def enact_doc_to_text(doc, lmms_eval_specific_kwargs=None):
    kwargs = lmms_eval_specific_kwargs or {}
    return f"{kwargs.get('pre_prompt', '')}{doc['question']}{kwargs.get('post_prompt', '')}"


def enact_doc_to_messages(doc, lmms_eval_specific_kwargs=None):
    content = []
    for place, image in enumerate(enact_doc_to_visual(doc)):
        content.append({"type": "text", "text": f"[{picture_name(place)}]"})
        content.append({"type": "image", "url": image})
    content.append({"type": "text", "text": enact_doc_to_text(doc, lmms_eval_specific_kwargs)})
    return [{"role": "user", "content": content}]


def enact_doc_to_target(doc):
    return str(doc["gt_answer"])


def enact_process_results(doc, results):
    evidence = _evidence()
    if evidence is not None and doc["id"] not in evidence:
        raise KeyError(f"{os.environ[EVIDENCE]}: no line for question {doc['id']}. Make the file from the same questions.")
    known = None if evidence is None else evidence[doc["id"]]
    found = score(results[0], kind_of(doc["type"]), list(doc["gt_answer"]), known)
    return {**{name: found[name] for name in ACCURACIES}, "unreadable": float(found["exact_match"] is None)}


def enact_mean(values):
    return mean(values)


@lru_cache(maxsize=1)
def _archive():
    return hf_hub_download(REPO_ID, ARCHIVE, repo_type="dataset")


@lru_cache(maxsize=1)
def _evidence():
    path = os.environ.get(EVIDENCE)
    if path is None:
        eval_logger.warning(f"ENACT: {EVIDENCE} is not set, so task_accuracy and pairwise_accuracy are unknown (nan).")
        return None
    return read_evidence(path)

import json
import os
import os.path as osp
import warnings
import zipfile

import pandas as pd
from huggingface_hub import hf_hub_download

from vlmeval.smp import dump, get_intermediate_file_path, load, read_ok, toliststr
from vlmeval.smp.file import INFER_FAIL_MSG
from .image_base import ImageBaseDataset
from .utils.enact import ACCURACIES, kind_of, mean, picture_name, read_evidence, score


class ENACT(ImageBaseDataset):
    """
    ENACT: order pictures by actions (forward), or actions by pictures (inverse).

    Reference:
      ENACT: Evaluating Embodied Cognition with World Modeling of Egocentric Interaction
      https://arxiv.org/abs/2511.20937
    """

    TYPE = 'VQA'
    MODALITY = 'IMAGE'

    REPO_ID, ARCHIVE = 'MLL-Lab/ENACT', 'QA.zip'
    QUESTIONS = 'QA/enact_ordering.jsonl'
    EVIDENCE = 'ENACT_EVIDENCE'

    @classmethod
    def supported_datasets(cls):
        return ['ENACT']

    def load_data(self, dataset):
        self.archive = hf_hub_download(self.REPO_ID, self.ARCHIVE, repo_type='dataset')
        with zipfile.ZipFile(self.archive) as archive, archive.open(self.QUESTIONS) as file:
            rows = [json.loads(line) for line in file]
        return pd.DataFrame([
            dict(
                index=row['id'],
                question=row['question'],
                answer=json.dumps(row['gt_answer']),
                category=row['type'],
                image_path=json.dumps(row['images']),
            )
            for row in rows
        ])

    def dump_image(self, line):
        paths = []
        with zipfile.ZipFile(self.archive) as archive:
            for name in toliststr(line['image_path']):
                path = osp.join(self.img_root, osp.basename(name))
                if not read_ok(path):
                    os.makedirs(self.img_root, exist_ok=True)
                    with open(path, 'wb') as out:
                        out.write(archive.read(name))
                paths.append(path)
        return paths

    def build_prompt(self, line):
        if isinstance(line, int):
            line = self.data.iloc[line]
        msgs = []
        for place, path in enumerate(self.dump_image(line)):
            msgs.append(dict(type='text', value=f'[{picture_name(place)}]'))
            msgs.append(dict(type='image', value=path))
        return msgs + [dict(type='text', value=line['question'])]

    def evaluate(self, eval_file, **judge_kwargs):
        path = os.environ.get(self.EVIDENCE)
        evidence = None if path is None else read_evidence(path)
        if evidence is None:
            warnings.warn(
                f'{self.EVIDENCE} is not set, so task_accuracy and pairwise_accuracy are unknown.')
        answers = load(eval_file)
        said = dict(zip(answers['index'].astype(str), answers['prediction']))
        rows = []
        for _, line in self.data.iterrows():
            name, gold = line['index'], json.loads(line['answer'])
            if evidence is not None and name not in evidence:
                raise KeyError(
                    f'{path}: no line for question {name}. Make the file from the same questions.')
            text = said.get(name)
            is_missing = not isinstance(text, str) or INFER_FAIL_MSG in text
            kind = kind_of(line['category'])
            found = score('' if is_missing else text, kind, gold, evidence and evidence[name])
            is_unreadable = not is_missing and found['exact_match'] is None
            rows.append(dict(
                index=name, split=kind, length=f'{kind}_{len(gold) + 1}_steps',
                missing=is_missing, unreadable=is_unreadable, **found))
        scores = pd.DataFrame(rows)
        dump(scores, get_intermediate_file_path(eval_file, '_scores', 'tsv'))
        groups = [('Overall', scores), *scores.groupby('split'), *scores.groupby('length')]
        result = pd.DataFrame([self._summary(split, of_it) for split, of_it in groups])
        dump(result, get_intermediate_file_path(eval_file, '_acc', 'csv'))
        return result

    @staticmethod
    def _summary(split, scores):
        counts = {name: int(scores[name].sum()) for name in ('missing', 'unreadable')}
        accuracies = {
            name: mean(None if pd.isna(value) else value for value in scores[name])
            for name in ACCURACIES
        }
        return dict(split=split, count=len(scores), **counts, **accuracies)

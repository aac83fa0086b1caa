"""Published figures from raw tables alone, by statsmodels, SciPy and krippendorff: a program.

``python recompute.py FOLDER`` reads Parquet files (predictions, questions, scene graphs, masks,
objects, answers of people) and prints JSON. It imports nothing of the package whose figures these
are, and shares no code with it: rules are written down once more, from docs/definitions.md.
"""

import json
import math
import re
import sys
from collections import defaultdict
from itertools import combinations, pairwise, permutations, product
from pathlib import Path

import krippendorff
import numpy as np
import pyarrow.parquet as pq
import statsmodels.api as sm
from scipy import stats
from statsmodels.stats.multitest import multipletests

MIN_FRACTION = 0.00005
LENGTHS = range(3, 11)
REFERENCES = {"random", "identity", "text_prior"}
PAIRED, BASE, OTHER = "task_accuracy", "baseline", "contact"


def label(category):
    return " ".join(category.replace("_", " ").split())


class Scenes:
    """Scene graphs of one demonstration and gating."""

    def __init__(self, graphs, masks, objects):
        self.facts = defaultdict(set)
        self.existing = defaultdict(set)
        for row in graphs:
            if row["predicate"] == "Exists":
                self.existing[row["key_frame"]].add(row["subject"])
            else:
                fact = (row["predicate"], row["subject"], row["object"])
                self.facts[row["key_frame"]].add(fact)
        self.seen = defaultdict(set)
        for row in masks:
            if row["fraction"] > MIN_FRACTION:
                self.seen[row["key_frame"]].add(row["object_name"])
        self.label = {row["object_name"]: label(row["category"]) for row in objects}
        self.parents = {row["object_name"]: row["parents"] or [] for row in objects}
        self.found = {}

    def changes(self, i, j):
        """(text, objects named) of every change from key frame i to j."""
        before, after = self.facts[i], self.facts[j]
        for sign, facts in (("+", after - before), ("-", before - after)):
            for predicate, subject, other in facts:
                names = [name for name in (subject, other) if name is not None]
                words = ", ".join(self.label[name] for name in names)
                yield f"{sign}{predicate}({words})", names
        gone = self.existing[i] - self.existing[j]
        for child in self.existing[j] - self.existing[i]:
            parents = sorted(set(self.parents[child]) & gone)
            if parents:
                words = " and ".join(sorted({self.label[parent] for parent in parents}))
                yield f"~Transition({words}, {self.label[child]})", [child, *parents]

    def both(self, i, j):
        """Visible change and whole change."""
        if (i, j) not in self.found:
            changes = list(self.changes(i, j))
            turning = {n for text, names in changes if text[0] == "~" for n in names}
            seen = (self.seen[i] & self.seen[j]) | ((self.seen[i] | self.seen[j]) & turning)
            kinds = defaultdict(set)
            for name in {n for _, names in changes for n in names} & seen:
                family = tuple(self.parents[name]) or name
                kinds[self.label[name]].add(family)
            clear = {text for text, of in kinds.items() if len(of) == 1}
            shown = {
                text
                for text, names in changes
                if all(n in seen and self.label[n] in clear for n in names)
            }
            self.found[i, j] = shown, {text for text, _ in changes}
        return self.found[i, j]

    def passed(self, question, order):
        """Which steps pass if the labels are put in ``order``."""
        truth = question["key_frames"]
        if question["kind"] == "forward":
            shown = question["shown_key_frames"]
            path = [truth[0], *(shown[place] for place in order)]
            return [
                self.both(*true)[0] <= self.both(*said)[1]
                for true, said in zip(pairwise(truth), pairwise(path), strict=True)
            ]
        actions = question["action_components"]
        return [
            set(actions[place - 1]) <= self.both(*true)[1]
            for true, place in zip(pairwise(truth), order, strict=True)
        ]

    def score(self, question, order):
        """(accepted, steps that pass)."""
        passed = self.passed(question, order)
        is_accepted = list(order) == list(question["answer"]) or all(passed)
        return is_accepted, len(passed) if is_accepted else sum(passed)


def clustered(y, weights, clusters):
    """Mean, CR2 error and Satterthwaite's degrees of freedom, by the matrices of the definition."""
    y, weights = np.asarray(y, float), np.asarray(weights, float)
    groups = [np.flatnonzero(np.asarray(clusters) == c) for c in sorted(set(clusters))]
    fitted = sm.WLS(y, np.ones(len(y)), weights=weights).fit()
    root = np.sqrt(weights)[:, None]
    bread = 1 / float(weights.sum())
    outside = np.eye(len(y)) - bread * root @ root.T
    residuals = outside @ (y[:, None] * root)
    meat, vectors = 0.0, []
    for rows in groups:
        values, axes = np.linalg.eigh(outside[np.ix_(rows, rows)])
        adjust = axes @ np.diag(1 / np.sqrt(values)) @ axes.T
        meat += float((root[rows].T @ adjust @ residuals[rows])[0, 0]) ** 2
        vectors.append(outside[:, rows] @ adjust @ root[rows] * bread)
    quadratic = np.hstack(vectors)
    eigenvalues = np.linalg.eigvalsh(quadratic.T @ quadratic)
    degrees = eigenvalues.sum() ** 2 / (eigenvalues**2).sum()
    return float(fitted.params[0]), math.sqrt(meat) * bread, float(degrees)


def rows_of(folder, name):
    return pq.read_table(Path(folder) / f"{name}.parquet").to_pylist()


def by(rows, *names):
    found = defaultdict(list)
    for row in rows:
        found[tuple(row[name] for name in names)].append(row)
    return found


def main(folder):
    graphs, masks, objects = (
        by(rows_of(folder, name), "demonstration", *key)
        for name, key in (
            ("scene_graphs", ["gating"]),
            ("visibility", ["gating"]),
            ("objects", []),
        )
    )
    scenes = {at: Scenes(of, masks[at], objects[at[:1]]) for at, of in graphs.items()}
    asked = {(q["variant"], q["question_id"]): q for q in rows_of(folder, "asked_questions")}
    scored = []
    for row in rows_of(folder, "predictions"):
        question = asked[row["variant"], row["question_id"]]
        of = scenes[question["demonstration"], question["gating"]]
        is_accepted, n_passed = False, 0
        if re.fullmatch(r"\[[0-9]+(, [0-9]+)*\]", row["raw_answer"]):  # else: cannot tell
            is_accepted, n_passed = of.score(question, json.loads(row["raw_answer"]))
        names = ("variant", "question_id", "kind", "length", "demonstration", "place")
        about = {name: question[name] for name in names}
        n_steps = len(question["answer"])
        scores = {"is_accepted": is_accepted, "n_steps_passed": n_passed, "n_steps": n_steps}
        scored.append({"model": row["model"], **about, **scores})
    print(
        json.dumps(
            {
                "verdicts": scored,
                "accuracies": accuracies(pooled(scored)),
                "comparisons": comparisons(pooled(scored)),
                "welch": welch(scored),
                "alpha": agreement(rows_of(folder, "human_answers")),
                "expected": expectations(scenes, rows_of(folder, "qa")),
                "paths": {"|".join(at): count_paths(of) for at, of in scenes.items()},
                "imported": sorted(m for m in sys.modules if m.startswith("enact_assets")),
            }
        )
    )


def shares(rows, metric):
    """Values and weights of one metric: per question, or per step."""
    if metric == "task_accuracy":
        return [float(r["is_accepted"]) for r in rows], [1.0] * len(rows)
    return [r["n_steps_passed"] / r["n_steps"] for r in rows], [r["n_steps"] for r in rows]


def pooled(scored):
    """Answers of all people are those of one model."""
    n = len({row["model"] for row in scored if row["model"].startswith("person_")})
    name = f"people ({n})"
    is_person = [row["model"].startswith("person_") for row in scored]
    return [
        {**row, "model": name} if of_person else row
        for row, of_person in zip(scored, is_person, strict=True)
    ]


def accuracies(scored):
    found = []
    for (variant, kind, model), rows in sorted(by(scored, "variant", "kind", "model").items()):
        for metric in ("task_accuracy", "pairwise_accuracy"):
            clusters = [row["demonstration"] for row in rows]
            mean, error, degrees = clustered(*shares(rows, metric), clusters)
            reach = stats.t.ppf(0.975, degrees) * error
            about = {"variant": variant, "kind": kind, "model": model, "metric": metric}
            ends = {"low": max(0.0, mean - reach), "high": min(1.0, mean + reach)}
            found.append({**about, "accuracy": mean, "standard_error": error, **ends})
    return found


def comparisons(scored):
    """Differences of pairs over the questions of the baseline, each question once. Pairs without a
    reference are a family for BH, the others another.
    """
    found = []
    rows_by = by([r for r in scored if r["variant"] == BASE], "kind", "model")
    pairs = list(combinations(sorted({model for _, model in rows_by}), 2))
    families = [[p for p in pairs if bool(REFERENCES & {*p}) == has_one] for has_one in (0, 1)]
    for kind, of_family in product(("forward", "inverse"), families):
        family = []
        for one, other in of_family:
            values = []
            for name in (one, other):
                of_question = by(rows_by[kind, name], "demonstration", "question_id")
                asked = sorted(of_question)
                values.append([np.mean(shares(of_question[q], PAIRED)[0]) for q in asked])
            differences = np.subtract(*values)
            clusters = [demonstration for demonstration, _ in asked]
            mean, error, degrees = clustered(differences, [1.0] * len(asked), clusters)
            p = float(2 * stats.t.sf(abs(mean / error), degrees)) if error > 1e-12 else None
            about = {"kind": kind, "model_a": one, "model_b": other}
            family.append({**about, "difference": mean, "standard_error": error, "clustered_p": p})
        tested = [row for row in family if row["clustered_p"] is not None]
        if tested:
            corrected = multipletests([row["clustered_p"] for row in tested], method="fdr_bh")[1]
            for row, p in zip(tested, corrected, strict=True):
                row["clustered_bh_p"] = float(p)
        found += family
    return found


def welch(scored):
    """The paper's test of one variant against the baseline, of which as many questions count as
    the variant asks; per model a family of two, by Holm.
    """
    found = []
    most = defaultdict(int)
    for row in scored:
        if row["variant"] == OTHER:
            at = row["kind"], row["length"]
            most[at] = max(most[at], row["place"])
    compared = [row for row in scored if row["place"] <= most[row["kind"], row["length"]]]
    rows_by = by(compared, "model", "variant", "kind")
    for model in sorted({row["model"] for row in scored if row["variant"] == OTHER}):
        family = []
        for kind in ("forward", "inverse"):
            one, other = (
                np.array(shares(rows_by[model, variant, kind], "pairwise_accuracy")[0])
                for variant in (OTHER, BASE)
            )
            test = stats.ttest_ind(one, other, equal_var=False)
            delta = float(one.mean() - other.mean())
            row = {"model": model, "kind": kind, "delta": delta, "welch_p": float(test.pvalue)}
            family.append(row)
        corrected = multipletests([row["welch_p"] for row in family], method="holm")[1]
        for row, p in zip(family, corrected, strict=True):
            row["welch_holm_p"] = float(p)
        found += family
    return found


def agreement(rows):
    """Alphas of people: nominal of whole answers; ordinal of the places of items, by length."""
    last = [row for row in rows if row["is_last"] and row["answer"] is not None]
    people = sorted({row["annotator"] for row in last})
    given = {(row["question_id"], row["annotator"]): row["answer"] for row in last}
    length = {row["question_id"]: row["length"] for row in last}
    several = sorted(q for q in length if sum((q, p) in given for p in people) > 1)
    codes = {text: k for k, text in enumerate(sorted({str(a) for a in given.values()}))}
    whole = [
        [codes[str(given[q, p])] if (q, p) in given else np.nan for q in several] for p in people
    ]
    nominal = krippendorff.alpha(reliability_data=whole, level_of_measurement="nominal")
    total = n = 0.0
    for size in sorted({length[q] for q in several}):
        of_size = [q for q in several if length[q] == size]
        places = [
            [
                given[q, p].index(item) if (q, p) in given else np.nan
                for q in of_size
                for item in range(1, size)
            ]
            for p in people
        ]
        alpha = krippendorff.alpha(reliability_data=places, level_of_measurement="ordinal")
        total, n = total + alpha * len(of_size), n + len(of_size)
    return {"alpha_answers": float(nominal), "alpha_places": float(total / n)}


def expectations(scenes, qa):
    """Scores of a random order, by trying all orders of short questions."""
    found = []
    for question in qa:
        n = len(question["answer"])
        if n > 4:
            continue
        of = scenes[question["demonstration"], question["gating"]]
        tried = [of.score(question, order) for order in permutations(range(1, n + 1))]
        n_accepted = sum(is_accepted for is_accepted, _ in tried)
        about = {k: question[k] for k in ("gating", "question_id")}
        task = n_accepted / len(tried)
        steps = sum(n_passed for _, n_passed in tried) / (n * len(tried))
        scores = {"expected_task_accuracy": task, "expected_pairwise_accuracy": steps}
        found.append({**about, "n_accepted_orders": n_accepted, **scores})
    return found


def count_paths(of):
    """Trajectories by length, every choice of key frames tried."""
    key_frames = sorted(of.existing)
    edges = {pair for pair in combinations(key_frames, 2) if 1 <= len(of.both(*pair)[0]) <= 5}
    return {
        length: sum(
            all(step in edges for step in pairwise(path))
            for path in combinations(key_frames, length)
        )
        for length in LENGTHS
    }


if __name__ == "__main__":
    main(sys.argv[1])

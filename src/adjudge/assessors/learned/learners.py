"""Learners by name, and what they learn as plain numbers: decision trees, forests of them, linear scores.

scikit-learn fits; what it found is copied into the classes here, which predict the same answers. So a judge can be
saved as JSON, read from a stranger's file without running anything, and applied without scikit-learn.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from adjudge.core.engine import generator
from adjudge.core.errors import DataError, UsageError
from adjudge.stats.checks import FloatArray, IntArray

LEAST_LEAF = 5
"""Training answers in a leaf of a tree."""
FOLDS = 5
"""Of topics, for choosing how far a tree is pruned."""
CANDIDATES = 24
"""Prunings of a tree that are tried."""
TREES = 50
"""Of a forest."""
MOST_LEAVES = 400
"""Of a tree of a forest: a leaf has at least this share of the training answers, so that files stay small."""


class PlainModel(Protocol):
    """What was learned: answers for rows of features."""

    @property
    def classes(self) -> tuple[float, ...]:
        """The answers that it can give."""

    def predict(self, x: FloatArray) -> FloatArray: ...

    def rules(self, features: Sequence[str], labels: Mapping[float, str]) -> list[str]:
        """What it does, for people."""

    def as_dict(self) -> dict[str, Any]: ...


# Trees


@dataclass(frozen=True)
class PlainTree:
    """A decision tree as arrays, a place for each node: the root first, every node before those below it.

    A node that is no leaf goes left where its feature is at most its threshold. `counts` are the training answers
    that reached a node, by class; a leaf gives the most common one, of several the lowest.
    """

    classes: tuple[float, ...]
    feature: tuple[int, ...]
    """-1 in a leaf."""
    threshold: tuple[float, ...]
    left: tuple[int, ...]
    right: tuple[int, ...]
    counts: tuple[tuple[int, ...], ...]

    @property
    def leaves(self) -> int:
        return sum(feature < 0 for feature in self.feature)

    def reached(self, x: FloatArray, stop: npt.NDArray[np.bool_] | None = None) -> IntArray:
        """The leaf that each row comes to; or the first node on the way at which `stop` is true."""
        rows = np.asarray(x, dtype=np.float32)  # scikit-learn compares features of this precision
        feature, threshold = np.array(self.feature), np.array(self.threshold)
        left, right = np.array(self.left), np.array(self.right)
        inner = feature >= 0 if stop is None else (feature >= 0) & ~stop
        at = np.zeros(len(rows), dtype=np.int64)
        going = np.flatnonzero(inner[at])
        while going.size:
            nodes = at[going]
            lower = rows[going, feature[nodes]] <= threshold[nodes]
            at[going] = np.where(lower, left[nodes], right[nodes])
            going = going[inner[at[going]]]
        return at

    def shares(self, x: FloatArray) -> FloatArray:
        """Of every row's leaf, the shares of the classes."""
        counts = np.array(self.counts, dtype=float)
        return np.asarray((counts / counts.sum(axis=1, keepdims=True))[self.reached(x)])

    def answers(self) -> FloatArray:
        """Of every node, the answer that it gives as a leaf."""
        return np.asarray(np.array(self.classes)[np.argmax(np.array(self.counts), axis=1)])

    def predict(self, x: FloatArray) -> FloatArray:
        return np.asarray(self.answers()[self.reached(x)])

    def rules(self, features: Sequence[str], labels: Mapping[float, str]) -> list[str]:
        """As C4.5 prints a tree; after an answer, which share of the training answers that came there it is."""
        if self.feature[0] < 0:  # the root alone
            return [self._leaf(0, labels)]
        lines = []
        waiting = [(self.right[0], 0, 0, ">"), (self.left[0], 0, 0, "<=")]
        while waiting:  # a stranger's tree may be deeper than Python calls itself
            node, above, depth, sign = waiting.pop()
            name, value = features[self.feature[above]], self.threshold[above]
            # a count is whole, so its limit is too
            limit = f"{math.floor(value)}" if name.startswith("length") else f"{value:.4f}"
            line = f"{'|   ' * depth}{name} {sign} {limit}"
            if self.feature[node] < 0:
                lines.append(f"{line}: {self._leaf(node, labels)}")
            else:
                lines.append(line)
                below = ((self.right[node], ">"), (self.left[node], "<="))
                waiting += [(child, node, depth + 1, side) for child, side in below]
        return lines

    def _leaf(self, node: int, labels: Mapping[float, str]) -> str:
        total, most = sum(self.counts[node]), max(self.counts[node])
        answer = self.classes[self.counts[node].index(most)]
        return f"{labels.get(answer, f'{answer:g}')} ({most / total:.0%} of {total:,})"

    def as_dict(self) -> dict[str, Any]:
        return {
            "kind": "tree",
            "classes": list(self.classes),
            "feature": list(self.feature),
            "threshold": list(self.threshold),
            "left": list(self.left),
            "right": list(self.right),
            "counts": [list(row) for row in self.counts],
        }

    def kept(self, is_leaf: Sequence[bool]) -> PlainTree:
        """The tree in which some nodes have become leaves; what was below them is gone."""
        order: list[int] = []
        waiting = [0]
        while waiting:
            node = waiting.pop()
            order.append(node)
            if self.feature[node] >= 0 and not is_leaf[node]:
                waiting += [self.right[node], self.left[node]]
        place = {node: number for number, node in enumerate(order)}
        leaf = [self.feature[node] < 0 or bool(is_leaf[node]) for node in order]
        return PlainTree(
            classes=self.classes,
            feature=tuple(-1 if end else self.feature[node] for node, end in zip(order, leaf, strict=True)),
            threshold=tuple(
                0.0 if end else self.threshold[node] for node, end in zip(order, leaf, strict=True)
            ),
            left=tuple(-1 if end else place[self.left[node]] for node, end in zip(order, leaf, strict=True)),
            right=tuple(
                -1 if end else place[self.right[node]] for node, end in zip(order, leaf, strict=True)
            ),
            counts=tuple(self.counts[node] for node in order),
        )

    def without_idle_splits(self) -> PlainTree:
        """The same answers with fewer nodes: where all leaves below a node answer alike, it is a leaf."""
        alike: list[float | None] = list(map(float, self.answers()))  # None where they differ
        for node in reversed(range(len(self.feature))):
            if self.feature[node] >= 0:
                left, right = alike[self.left[node]], alike[self.right[node]]
                alike[node] = left if left == right else None
        return self.kept([answer is not None for answer in alike])


def pruned_at(tree: PlainTree, costs: FloatArray) -> FloatArray:
    """For every node, the complexity parameter from which on it is a leaf, or is gone; infinite for leaves.

    Minimal cost-complexity pruning (Breiman et al. 1984, section 3.3). `costs` is a node's impurity times its share of
    the training answers.
    """
    nodes = len(tree.feature)
    above = [-1] * nodes
    for node in range(nodes):
        if tree.feature[node] >= 0:
            above[tree.left[node]] = above[tree.right[node]] = node
    leaves, below = np.ones(nodes), np.array(costs, dtype=float)
    for node in reversed(range(nodes)):
        if tree.feature[node] >= 0:
            leaves[node] = leaves[tree.left[node]] + leaves[tree.right[node]]
            below[node] = below[tree.left[node]] + below[tree.right[node]]
    inner = np.array(tree.feature) >= 0
    link = np.full(nodes, np.inf)
    link[inner] = (costs[inner] - below[inner]) / (leaves[inner] - 1)
    leaf_from = np.full(nodes, np.inf)
    reached = 0.0
    while math.isfinite(weakest := float(link.min())):
        node = int(link.argmin())
        reached = max(reached, weakest)
        leaf_from[node] = reached
        gone = [node]
        while gone:  # neither it nor what was below it is a link any more
            removed = gone.pop()
            link[removed] = np.inf
            if tree.feature[removed] >= 0:
                gone += [tree.left[removed], tree.right[removed]]
        fewer, more = leaves[node] - 1, costs[node] - below[node]
        at = above[node]
        while at >= 0:
            leaves[at] -= fewer
            below[at] += more
            link[at] = (costs[at] - below[at]) / (leaves[at] - 1)
            at = above[at]
    return leaf_from


def _copied(fitted: Any, classes: FloatArray) -> PlainTree:
    """A tree of scikit-learn's, whose nodes stand parents first."""
    tree = fitted.tree_
    inner = tree.children_left >= 0
    counts = np.rint(tree.value[:, 0, :] * tree.weighted_n_node_samples[:, None]).astype(int)
    return PlainTree(
        classes=tuple(map(float, classes)),
        feature=tuple(int(f) if has else -1 for f, has in zip(tree.feature, inner, strict=True)),
        threshold=tuple(float(t) if has else 0.0 for t, has in zip(tree.threshold, inner, strict=True)),
        left=tuple(map(int, tree.children_left)),
        right=tuple(map(int, tree.children_right)),
        counts=tuple(tuple(map(int, row)) for row in counts),
    )


@dataclass(frozen=True)
class PlainForest:
    """Trees whose shares are averaged."""

    trees: tuple[PlainTree, ...]

    @property
    def classes(self) -> tuple[float, ...]:
        return self.trees[0].classes

    def predict(self, x: FloatArray) -> FloatArray:
        total = np.zeros((len(x), len(self.classes)))
        for tree in self.trees:
            total += tree.shares(x)
        return np.asarray(np.array(self.classes)[np.argmax(total / len(self.trees), axis=1)])

    def rules(self, features: Sequence[str], labels: Mapping[float, str]) -> list[str]:
        leaves = sum(tree.leaves for tree in self.trees)
        return [f"{len(self.trees)} trees with {leaves:,} leaves together: too many rules to read"]

    def as_dict(self) -> dict[str, Any]:
        return {"kind": "forest", "trees": [tree.as_dict() for tree in self.trees]}


@dataclass(frozen=True)
class PlainLinear:
    """A linear score for every class, of standardised features; the class with the highest is the answer."""

    classes: tuple[float, ...]
    mean: tuple[float, ...]
    scale: tuple[float, ...]
    weights: tuple[tuple[float, ...], ...]
    """For every class, one for each feature."""
    constant: tuple[float, ...]

    def predict(self, x: FloatArray) -> FloatArray:
        standard = (x - np.array(self.mean)) / np.array(self.scale)
        scores = standard @ np.array(self.weights).T + np.array(self.constant)
        return np.asarray(np.array(self.classes)[np.argmax(scores, axis=1)])

    def rules(self, features: Sequence[str], labels: Mapping[float, str]) -> list[str]:
        return [
            f"{labels.get(answer, f'{answer:g}')}: {constant:+.3f} "
            + " ".join(f"{weight:+.3f} {name}" for weight, name in zip(weights, features, strict=True))
            for answer, weights, constant in zip(self.classes, self.weights, self.constant, strict=True)
        ]

    def as_dict(self) -> dict[str, Any]:
        return {
            "kind": "linear",
            "classes": list(self.classes),
            "mean": list(self.mean),
            "scale": list(self.scale),
            "weights": [list(row) for row in self.weights],
            "constant": list(self.constant),
        }


# Learning

Learn = Callable[[FloatArray, FloatArray, Sequence[str], int], PlainModel]
"""From features, answers, the topic of each row, and a seed."""


def learn_tree(x: FloatArray, y: FloatArray, topics: Sequence[str], seed: int) -> PlainTree:
    """An entropy tree, pruned as far as predicts topics best that it was not grown on.

    How far is chosen by cross-validation, whole topics at a time (Breiman et al. 1984, section 3.4): the smallest tree
    that has no more wrong answers than the best one and one standard error of their difference, over topics. With one
    topic nothing is pruned.
    """
    tree, at = _grown(x, y, seed)
    alpha = _pruning(tree, at, x, y, topics, seed)
    return tree.kept(list(at <= alpha)).without_idle_splits()


def _grown(x: FloatArray, y: FloatArray, seed: int) -> tuple[PlainTree, FloatArray]:
    """A whole tree, and where each of its nodes is pruned."""
    fitted = _sklearn("tree").DecisionTreeClassifier(
        criterion="entropy", min_samples_leaf=LEAST_LEAF, random_state=seed % 2**32
    )
    classes, codes = np.unique(y, return_inverse=True)  # scikit-learn takes no fractions for classes
    fitted.fit(x, codes)
    tree = _copied(fitted, classes)
    sizes = fitted.tree_.weighted_n_node_samples
    return tree, pruned_at(tree, fitted.tree_.impurity * sizes / sizes[0])


def _pruning(
    tree: PlainTree, at: FloatArray, x: FloatArray, y: FloatArray, topics: Sequence[str], seed: int
) -> float:
    """The complexity parameter under which trees of some topics predict the others best; below 0: prune nothing."""
    names = list(dict.fromkeys(topics))
    steps = np.unique(at[np.isfinite(at)])
    if len(names) < 2 or not steps.size:
        return -1.0
    steps = np.concatenate([[0.0], steps[steps > 0]])
    tried = np.append(np.sqrt(steps[:-1] * steps[1:]), steps[-1])  # the last prunes all but the root
    if tried.size > CANDIDATES:
        tried = tried[np.linspace(0, tried.size - 1, CANDIDATES).round().astype(int)]
    order = generator(seed, "judge-train/folds").permutation(len(names))
    folds = min(FOLDS, len(names))
    place = {names[number]: at for at, number in enumerate(order)}
    topic = np.array([place[name] for name in topics])
    wrong = np.zeros((tried.size, len(names)))
    for number in range(folds):
        out = topic % folds == number
        grown, leaf_from = _grown(x[~out], y[~out], seed)
        answers = grown.answers()
        for k, alpha in enumerate(tried):
            missed = answers[grown.reached(x[out], leaf_from <= alpha)] != y[out]
            wrong[k] += np.bincount(topic[out], weights=missed, minlength=len(names))
    more = wrong - wrong[wrong.sum(axis=1).argmin()]
    error = more.std(axis=1, ddof=1) * math.sqrt(len(names))  # standard error of the sum over topics
    return float(tried[np.flatnonzero(more.sum(axis=1) <= error)[-1]])


def learn_forest(x: FloatArray, y: FloatArray, topics: Sequence[str], seed: int) -> PlainForest:
    """A random forest of entropy trees, not pruned."""
    least = max(LEAST_LEAF, math.ceil(len(y) / MOST_LEAVES))
    fitted = _sklearn("ensemble").RandomForestClassifier(
        n_estimators=TREES, criterion="entropy", min_samples_leaf=least, random_state=seed % 2**32
    )
    classes, codes = np.unique(y, return_inverse=True)
    fitted.fit(x, codes)
    return PlainForest(tuple(_copied(tree, classes) for tree in fitted.estimators_))


def learn_logistic(x: FloatArray, y: FloatArray, topics: Sequence[str], seed: int) -> PlainModel:
    """Multinomial logistic regression of standardised features, with a ridge penalty of 1."""
    classes, codes = np.unique(y, return_inverse=True)
    if classes.size < 2:
        return learn_majority(x, y, topics, seed)
    linear = _sklearn("linear_model")
    mean, scale = x.mean(axis=0), x.std(axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    fitted = linear.LogisticRegression(max_iter=5000, random_state=seed % 2**32).fit(
        (x - mean) / scale, codes
    )
    weights, constant = fitted.coef_, fitted.intercept_
    if classes.size == 2:  # one score, of the second class
        weights, constant = np.vstack([np.zeros_like(weights), weights]), np.append(0.0, constant)
    return PlainLinear(
        classes=tuple(map(float, classes)),
        mean=tuple(map(float, mean)),
        scale=tuple(map(float, scale)),
        weights=tuple(tuple(map(float, row)) for row in weights),
        constant=tuple(map(float, constant)),
    )


def learn_majority(x: FloatArray, y: FloatArray, topics: Sequence[str], seed: int) -> PlainTree:
    """The most common answer, whatever the features; of several the lowest."""
    classes, counts = np.unique(y, return_counts=True)
    return PlainTree(
        classes=tuple(map(float, classes)),
        feature=(-1,),
        threshold=(0.0,),
        left=(-1,),
        right=(-1,),
        counts=(tuple(map(int, counts)),),
    )


LEARNERS: dict[str, Learn] = {
    "tree": learn_tree,
    "forest": learn_forest,
    "logistic": learn_logistic,
    "majority": learn_majority,
}


def _sklearn(module: str) -> Any:
    try:
        from importlib import import_module

        return import_module(f"sklearn.{module}")
    except ImportError:
        raise UsageError('training a judge needs an extra: pip install "adjudge[learned]"') from None


# From files, which may come from strangers


def model_from(data: Any, features: int) -> PlainModel:
    """What `as_dict` wrote; whatever else is a DataError in one line."""
    if not isinstance(data, Mapping):
        raise DataError("a model is no object")
    match data.get("kind"):
        case "tree":
            return _tree_from(data, features)
        case "forest":
            trees = tuple(_tree_from(tree, features) for tree in _list(data, "trees"))
            if not trees or any(tree.classes != trees[0].classes for tree in trees):
                raise DataError("a forest's trees have different classes, or there are none")
            return PlainForest(trees)
        case "linear":
            model = PlainLinear(
                classes=_classes(data),
                mean=_numbers(data, "mean"),
                scale=_numbers(data, "scale"),
                weights=tuple(_numbers({"weights": row}, "weights") for row in _list(data, "weights")),
                constant=_numbers(data, "constant"),
            )
            fits = len(model.weights) == len(model.constant) == len(model.classes)
            if not fits or any(len(row) != features for row in (model.mean, model.scale, *model.weights)):
                raise DataError(f"a linear model needs a constant and {features} weights for every class")
            if min(model.scale) <= 0:
                raise DataError("a linear model's scales are not all above 0")
            return model
    raise DataError("a model's kind is not known; expected tree, forest or linear")


def _tree_from(data: Any, features: int) -> PlainTree:
    if not isinstance(data, Mapping):
        raise DataError("a tree is no object")
    tree = PlainTree(
        classes=_classes(data),
        feature=_whole(data, "feature"),
        threshold=_numbers(data, "threshold"),
        left=_whole(data, "left"),
        right=_whole(data, "right"),
        counts=tuple(_whole({"counts": row}, "counts") for row in _list(data, "counts")),
    )
    nodes = len(tree.feature)
    lists: tuple[Sequence[Any], ...] = (tree.threshold, tree.left, tree.right, tree.counts)
    if not nodes or any(len(entries) != nodes for entries in lists):
        raise DataError("the lists of a tree have different lengths, or it has no node")
    for node, (feature, left, right) in enumerate(zip(tree.feature, tree.left, tree.right, strict=True)):
        # children stand after their parents, so that every way down ends
        if not -1 <= feature < features or (
            feature >= 0 and not all(node < n < nodes for n in (left, right))
        ):
            raise DataError(f"node {node} of a tree leads nowhere")
    if any(len(row) != len(tree.classes) or min(row) < 0 or not sum(row) for row in tree.counts):
        raise DataError("a node of a tree counts no answers, or of other classes")
    return tree


def _classes(data: Mapping[str, Any]) -> tuple[float, ...]:
    classes = _numbers(data, "classes")
    if not classes or list(classes) != sorted(set(classes)):
        raise DataError("a model's classes are not different numbers in their order")
    return classes


def _list(data: Mapping[str, Any], name: str) -> list[Any]:
    entries = data.get(name)
    if not isinstance(entries, list):
        raise DataError(f"{name} of a model is no list")
    return entries


def _numbers(data: Mapping[str, Any], name: str) -> tuple[float, ...]:
    entries = _list(data, name)
    if any(isinstance(entry, bool) or not isinstance(entry, int | float) for entry in entries):
        raise DataError(f"{name} of a model holds what is no number")
    try:
        numbers = tuple(map(float, entries))
    except OverflowError:
        numbers = (math.inf,)
    if not all(map(math.isfinite, numbers)):
        raise DataError(f"{name} of a model holds a number that is too large")
    return numbers


def _whole(data: Mapping[str, Any], name: str) -> tuple[int, ...]:
    entries = _list(data, name)
    if any(isinstance(entry, bool) or not isinstance(entry, int) or abs(entry) > 2**53 for entry in entries):
        raise DataError(f"{name} of a model holds what is no whole number")
    return tuple(entries)

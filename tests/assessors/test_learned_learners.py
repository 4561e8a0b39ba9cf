"""What learners learn as plain numbers: scikit-learn's own predictions and prunings, and rules that can be read."""

from __future__ import annotations

import copy
import json
from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from adjudge.assessors.learned.learners import (
    LEARNERS,
    LEAST_LEAF,
    TREES,
    PlainTree,
    _grown,
    learn_forest,
    learn_logistic,
    learn_tree,
    model_from,
    pruned_at,
)
from adjudge.core.errors import DataError, UsageError
from adjudge.stats.checks import FloatArray

LABELS = {0.0: "none", 0.5: "some", 1.0: "all"}


def data(seed: int, n: int = 400, classes: int = 3) -> tuple[FloatArray, FloatArray, list[str]]:
    """Answers that follow the first feature, and some noise, on ten topics."""
    rng = np.random.default_rng(seed)
    x = np.round(rng.random((n, 8)), 2)  # ties, as shares of n-grams have them
    level = np.floor(np.clip(x[:, 0] + 0.15 * rng.standard_normal(n), 0, 0.999) * classes)
    return x, level / (classes - 1), [f"t{k % 10}" for k in range(n)]


@pytest.mark.parametrize("seed", range(5))
def test_pruning_is_scikit_learns(seed: int) -> None:
    """At every step of its path: the same answers, and as many leaves."""
    x, y, _ = data(seed)
    codes = np.unique(y, return_inverse=True)[1]
    tree, at = _grown(x, y, seed)
    plain = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=LEAST_LEAF, random_state=seed)
    steps = plain.cost_complexity_pruning_path(x, codes).ccp_alphas
    found = np.unique(at[np.isfinite(at)])
    assert np.allclose(np.unique(np.round(steps[1:], 10)), np.unique(np.round(found, 10)), atol=1e-9)
    between = [0.0, *((steps[1:-1] + steps[2:]) / 2), steps[-1] * 2]
    unseen = np.round(np.random.default_rng(seed + 50).random((300, 8)), 2)
    for alpha in between[:: max(len(between) // 8, 1)]:
        theirs = DecisionTreeClassifier(
            criterion="entropy", min_samples_leaf=LEAST_LEAF, random_state=seed, ccp_alpha=alpha
        ).fit(x, codes)
        ours = tree.kept(list(at <= alpha))
        assert ours.leaves == theirs.get_n_leaves()
        assert np.array_equal(ours.predict(unseen), np.unique(y)[theirs.predict(unseen)])
        assert np.array_equal(ours.without_idle_splits().predict(unseen), ours.predict(unseen))


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_a_forest_and_a_regression_answer_as_scikit_learns(classes: int) -> None:
    x, y, topics = data(1, classes=classes)
    known, codes = np.unique(y, return_inverse=True)
    unseen = np.random.default_rng(9).random((500, 8))
    forest = RandomForestClassifier(
        n_estimators=TREES, criterion="entropy", min_samples_leaf=LEAST_LEAF, random_state=3
    )
    expected = known[forest.fit(x, codes).predict(unseen)]
    assert np.array_equal(learn_forest(x, y, topics, 3).predict(unseen), expected)
    mean, scale = x.mean(axis=0), x.std(axis=0)
    linear = LogisticRegression(max_iter=5000).fit((x - mean) / scale, codes)
    expected = known[linear.predict((unseen - mean) / scale)]
    assert np.array_equal(learn_logistic(x, y, topics, 3).predict(unseen), expected)


def test_a_tree_is_pruned_to_what_holds_on_other_topics() -> None:
    x, y, topics = data(2)
    tree = learn_tree(x, y, topics, 0)
    assert 3 <= tree.leaves < _grown(x, y, 0)[0].leaves / 2
    assert np.mean(tree.predict(x) == y) > 0.7
    shuffled = np.random.default_rng(0).permutation(y)
    assert learn_tree(x, shuffled, topics, 0).leaves <= 3  # there is nothing to learn
    whole, _ = _grown(x, y, 0)
    alone = learn_tree(x, y, ["t"] * len(y), 0)  # one topic: nothing to choose the pruning by
    assert alone == whole.without_idle_splits()
    assert learn_tree(x, y, topics, 0) == tree


def test_rules_name_features_and_labels() -> None:
    x = np.array([[k / 40, k % 2] for k in range(41)])
    tree = learn_tree(x, np.where(x[:, 0] > 0.5, 1.0, 0.0), [f"t{k % 4}" for k in range(41)], 0)
    assert tree.rules(["NAM_1", "length_1"], LABELS) == [
        "NAM_1 <= 0.5125: none (100% of 21)",
        "NAM_1 > 0.5125: all (100% of 20)",
    ]
    counted = PlainTree(
        classes=(0.0, 0.5),
        feature=(0, -1, 1, -1, -1),
        threshold=(0.25, 0.0, 6.5, 0.0, 0.0),
        left=(1, -1, 3, -1, -1),
        right=(2, -1, 4, -1, -1),
        counts=((7, 5), (5, 0), (2, 5), (2, 2), (0, 3)),
    )
    assert counted.rules(["NAM_1", "length_1"], LABELS) == [
        "NAM_1 <= 0.2500: none (100% of 5)",
        "NAM_1 > 0.2500",
        "|   length_1 <= 6: none (50% of 4)",
        "|   length_1 > 6: some (100% of 3)",
    ]
    x = np.array([[0.2, 9], [0.25, 9], [0.3, 6], [0.3, 7]])
    assert list(counted.predict(x)) == [0.0, 0.0, 0.0, 0.5]
    majority = LEARNERS["majority"](x, np.array([0.5, 0.5, 0.0, 1.0]), ["t"] * 4, 0)
    assert majority.rules(["NAM_1", "length_1"], LABELS) == ["some (50% of 4)"]


def test_a_tree_of_any_depth_is_written_out() -> None:
    """A chain of 5,000 splits, as a stranger's file may hold."""
    n = 5000
    chain = PlainTree(
        classes=(0.0,),
        feature=(*(0 for _ in range(n)), *(-1 for _ in range(n + 1))),
        threshold=(*(-1.0 - k for k in range(n)), *(0.0 for _ in range(n + 1))),
        left=(*range(1, n + 1), *(-1 for _ in range(n + 1))),
        right=(*range(n + 1, 2 * n + 1), *(-1 for _ in range(n + 1))),
        counts=((1,),) * (2 * n + 1),
    )
    again = model_from(chain.as_dict(), 8)
    assert len(again.rules([f"NAM_{k}" for k in range(8)], LABELS)) == 2 * n
    assert list(again.predict(np.zeros((1, 8)))) == [0.0]


def test_a_weakest_link_by_hand() -> None:
    """Costs of 1 at the root and .2, .3 below it; of .3 splits of .1 and .1 remain."""
    tree = PlainTree(
        classes=(0.0, 1.0),
        feature=(0, -1, 1, -1, -1),
        threshold=(0.5, 0.0, 0.5, 0.0, 0.0),
        left=(1, -1, 3, -1, -1),
        right=(2, -1, 4, -1, -1),
        counts=((4, 4), (4, 0), (1, 3), (1, 0), (0, 3)),
    )
    costs = np.array([1.0, 0.2, 0.3, 0.1, 0.1])
    assert pruned_at(tree, costs) == pytest.approx([0.5, np.inf, 0.1, np.inf, np.inf])


@pytest.mark.parametrize("learner", LEARNERS)
def test_models_survive_json(learner: str) -> None:
    x, y, topics = data(4)
    model = LEARNERS[learner](x, y, topics, 0)
    again = model_from(json.loads(json.dumps(model.as_dict())), 8)
    assert again == model
    unseen = np.random.default_rng(5).random((200, 8))
    assert np.array_equal(again.predict(unseen), model.predict(unseen))
    alone = LEARNERS[learner](x, np.full(len(y), 0.5), topics, 0)
    assert set(alone.predict(unseen)) == {0.5}


def test_damaged_models_are_refused() -> None:
    x, y, topics = data(4)
    good: dict[str, Any] = learn_tree(x, y, topics, 0).as_dict()
    assert good["feature"][0] >= 0
    damage: list[tuple[str, Any]] = [
        ("kind", "pickle"),
        ("classes", [1.0, 0.0, 0.5]),
        ("classes", []),
        ("feature", [8, *good["feature"][1:]]),
        ("feature", good["feature"][1:]),
        ("left", [0, *good["left"][1:]]),  # a way down that never ends
        ("right", [10**6, *good["right"][1:]]),
        ("threshold", ["x", *good["threshold"][1:]]),
        ("threshold", [10**400, *good["threshold"][1:]]),
        ("counts", [[0, 0, 0], *good["counts"][1:]]),
        ("counts", [[True, 1, 1], *good["counts"][1:]]),
        ("counts", 3),
    ]
    for name, value in damage:
        with pytest.raises(DataError):
            model_from(good | {name: value}, 8)
    linear = learn_logistic(x, y, topics, 0).as_dict()
    for name, value in (("scale", [0.0] * 8), ("mean", [0.0]), ("constant", [1.0]), ("weights", [[1.0]])):
        with pytest.raises(DataError):
            model_from(copy.deepcopy(linear) | {name: value}, 8)
    for value in ([], {"kind": "forest", "trees": []}, {"kind": "forest", "trees": [3]}):
        with pytest.raises(DataError):
            model_from(value, 8)


def test_a_missing_library_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "sklearn.tree", None)
    with pytest.raises(UsageError, match=r'pip install "adjudge\[learned\]"'):
        learn_tree(*data(0), 0)

"""Compiled: signed ranks and medians of resampled differences. Sums live beside."""

from __future__ import annotations

import numpy as np

from adjudge.compiled import kernel

_STRETCH = 256  # resamples that look for their medians together


@kernel
def by_size(
    columns: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    noise: float,
    order: np.ndarray,
    starts: np.ndarray,
    zeros: np.ndarray,
) -> None:
    """For every pair the topics that both have, by the size of their difference, zeros first, then -1.

    `starts` marks where a new size begins. Noise is the relative noise of scores, as differences.py has it: a
    difference within it is 0, and neighbours within it tie. `zeros` counts the zeros. Rows of columns are systems.
    """
    topics = columns.shape[1]
    size, rough = np.empty(topics), np.empty(topics)
    for p in range(first.size):
        x, y = columns[first[p]], columns[second[p]]
        none = 0
        for k in range(topics):
            size[k] = abs(x[k] - y[k])
            rough[k] = noise * max(abs(x[k]), abs(y[k]))
            if size[k] <= rough[k]:
                size[k] = 0.0
                none += 1
        zeros[p] = none
        # NaN comes last.
        by = np.argsort(size, kind="mergesort")
        order[p] = -1
        starts[p] = False
        for t in range(topics):
            k = by[t]
            if np.isnan(size[k]):
                break
            order[p, t] = k
            starts[p, t] = t in (0, none) or size[k] - size[by[t - 1]] > max(rough[k], rough[by[t - 1]])


@kernel
def signed_ranks(
    columns: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    order: np.ndarray,
    starts: np.ndarray,
    zeros: np.ndarray,
    pratt: bool,
    ranks: np.ndarray,
) -> None:
    """Twice the signed rank of every difference, 0 for zeros and missing ones. Rankel et al. 2011, section 2."""
    topics = order.shape[1]
    ranks[:] = 0
    for p in range(first.size):
        x, y = columns[first[p]], columns[second[p]]
        below = zeros[p] if pratt else 0
        t = zeros[p]
        while t < topics and order[p, t] >= 0:
            end = _end(order[p], starts[p], t)
            for u in range(t, end):
                k = order[p, u]
                doubled = 2 * below + (end - t) + 1
                ranks[p, k] = doubled if x[k] > y[k] else -doubled
            below += end - t
            t = end


@kernel
def _end(order: np.ndarray, starts: np.ndarray, t: int) -> int:
    """Where the differences that tie with the t-th end."""
    end = t + 1
    while end < order.size and order[end] >= 0 and not starts[end]:
        end += 1
    return end


@kernel
def drawn_rank_sums(
    signed: np.ndarray,
    counts: np.ndarray,
    columns: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    order: np.ndarray,
    starts: np.ndarray,
    zeros: np.ndarray,
    pratt: bool,
    sums: np.ndarray,
) -> None:
    """Twice the signed-rank sum W of every pair and resample, where topics are drawn more than once or not at all.

    Topics drawn together tie, so that a group of c equal sizes, with b smaller ones drawn, has the mid-rank
    b + (c + 1)/2; what counts is how many more of it are positive than negative.
    """
    topics, resamples = signed.shape
    below = np.empty(resamples, signed.dtype)
    group = np.empty(resamples, signed.dtype)
    excess = np.empty(resamples, signed.dtype)
    one = np.ones(1, signed.dtype)[0]
    for p in range(first.size):
        x, y, out = columns[first[p]], columns[second[p]], sums[p]
        out[:] = 0
        below[:] = 0
        if pratt:
            for t in range(zeros[p]):
                c = counts[order[p, t]]
                for r in range(resamples):
                    below[r] += c[r] + c[r]
        t = zeros[p]
        while t < topics:
            end = _end(order[p], starts[p], t)
            k = order[p, t]
            side = one if x[k] > y[k] else -one
            c, s = counts[k], signed[k]
            if end == t + 1:
                for r in range(resamples):
                    out[r] += (below[r] + c[r] + one) * (s[r] * side)
                    below[r] += c[r] + c[r]
            else:
                group[:] = 0
                excess[:] = 0
                for u in range(t, end):
                    k = order[p, u]
                    side = one if x[k] > y[k] else -one
                    c, s = counts[k], signed[k]
                    for r in range(resamples):
                        group[r] += c[r]
                        excess[r] += s[r] * side
                for r in range(resamples):
                    out[r] += (below[r] + group[r] + one) * excess[r]
                    below[r] += group[r] + group[r]
            t = end


@kernel
def drawn_medians(
    signed: np.ndarray,
    counts: np.ndarray,
    columns: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    order: np.ndarray,
    sides: np.ndarray,
    excess: np.ndarray,
    medians: np.ndarray,
) -> None:
    """Twice the median difference of every pair and resample.

    `sides` says for every pair and topic whether the difference is positive, 1, or negative, -1; `excess` how many
    more differences of a resample are positive. In ascending order the negative ones come first, the largest size
    first, then the positive ones. The median is near the small sizes, so a short walk from there finds it, for a
    stretch of resamples together.
    """
    topics, resamples = signed.shape
    size, found = np.empty(topics, medians.dtype), np.empty(_STRETCH, medians.dtype)
    walk = np.empty((3, _STRETCH), signed.dtype)
    for p in range(first.size):
        x, y = columns[first[p]], columns[second[p]]
        for t in range(topics):
            size[t] = abs(x[order[p, t]] - y[order[p, t]])
        for start in range(0, resamples, _STRETCH):
            here = slice(start, min(start + _STRETCH, resamples))
            out, more = medians[p, here], excess[p, here]
            negative, left, turn = walk[0], walk[1], walk[2]
            for r in range(out.size):
                negative[r] = (topics - more[r]) / 2
            _place(negative[: out.size], (topics - 1) // 2, left, turn)
            _walk(signed, counts, order[p], sides[p], size, here, left, turn, found)
            for r in range(out.size):
                out[r] = turn[r] * found[r]
            if topics % 2:  # the middle one counts twice
                for r in range(out.size):
                    out[r] += out[r]
                continue
            _place(negative[: out.size], topics // 2, left, turn)
            _walk(signed, counts, order[p], sides[p], size, here, left, turn, found)
            for r in range(out.size):
                out[r] += turn[r] * found[r]


@kernel
def _place(negative: np.ndarray, place: int, left: np.ndarray, turn: np.ndarray) -> None:
    """Which side the place of the ascending order is on, and twice how many of that side are up to it."""
    for r in range(negative.size):
        below = place < negative[r]
        turn[r] = -1 if below else 1
        left[r] = 2 * (negative[r] - place if below else place - negative[r] + 1)


@kernel
def _walk(
    signed: np.ndarray,
    counts: np.ndarray,
    order: np.ndarray,
    side: np.ndarray,
    size: np.ndarray,
    here: slice,
    left: np.ndarray,
    turn: np.ndarray,
    found: np.ndarray,
) -> None:
    """Go up in size until nothing is left, in each resample; the size that is then reached."""
    found[:] = size[0]
    for t in range(size.size - 1):
        k = order[t]
        row, drawn, turned, step = signed[k, here], counts[k, here], side[k], size[t + 1] - size[t]
        going = np.int32(0)
        for r in range(row.size):
            left[r] -= drawn[r] + turn[r] * turned * row[r]
            on = left[r] > 0
            found[r] += step if on else step - step
            going = np.int32(going + on)
        if not going:
            break

"""What asking has taken and may take, so that no limit is passed."""

from __future__ import annotations

from dataclasses import dataclass

from adjudge.assessors.llm.completion import Bound
from adjudge.assessors.llm.exchange import AskLimits, Prices
from adjudge.core.words import counted, decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What asking took."""

    requests: int = 0
    prompt_tokens: int = 0
    answer_tokens: int = 0
    cost: float = 0.0
    seconds: float = 0.0

    def __add__(self, other: Spent) -> Spent:
        return Spent(
            requests=self.requests + other.requests,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            answer_tokens=self.answer_tokens + other.answer_tokens,
            cost=self.cost + other.cost,
            seconds=self.seconds + other.seconds,
        )


class Purse:
    """What was spent and what is reserved: of requests, tokens and money.

    Tokens are counted as whole numbers, and the cost computed from their sums, so that no error of rounding grows.
    """

    def __init__(self, limits: AskLimits, prices: Prices):
        self._limits, self._prices = limits, prices
        self.requests = self.prompt = self.answer = 0
        self.under_way = 0
        self._reserved_prompt = self._reserved_answer = 0
        self._more_prompt = self._more_answer = 0  # by which the server counted more than the bound

    @property
    def cost(self) -> float:
        return self._prices.cost(self.prompt, self.answer)

    def lacks(self, bound: Bound) -> str | None:
        """Why a request of this bound must not be sent; None where it fits."""
        open_now = self.under_way + 1
        prompt = self.prompt + self._reserved_prompt + bound.prompt + self._more_prompt * open_now
        answer = self.answer + self._reserved_answer + bound.answer + self._more_answer * open_now
        limits = self._limits
        if limits.max_requests is not None and self.requests + 1 > limits.max_requests:
            return f"the limit of {counted(limits.max_requests, 'request')} is reached"
        if limits.max_tokens is not None and prompt + answer > limits.max_tokens:
            return (
                f"the limit of {counted(limits.max_tokens, 'token')} leaves no room for another request:"
                f" {self.prompt + self.answer:,} are used, and the next may need"
                f" {bound.prompt + bound.answer + self._more_prompt + self._more_answer:,}"
            )
        if limits.max_cost is not None and self._prices.cost(prompt, answer) > limits.max_cost:
            next_cost = self._prices.cost(bound.prompt + self._more_prompt, bound.answer + self._more_answer)
            return (
                f"the limit of the cost, {limits.max_cost:g}, leaves no room for another request:"
                f" {decimal(self.cost)} is spent, and the next may cost {decimal(next_cost)}"
            )
        return None

    def reserve(self, bound: Bound) -> None:
        self.requests += 1
        self.under_way += 1
        self._reserved_prompt += bound.prompt
        self._reserved_answer += bound.answer

    def settle(self, bound: Bound, prompt: int, answer: int) -> None:
        self.under_way -= 1
        self._reserved_prompt -= bound.prompt
        self._reserved_answer -= bound.answer
        self.prompt += prompt
        self.answer += answer
        self._more_prompt = max(self._more_prompt, prompt - bound.prompt)
        self._more_answer = max(self._more_answer, answer - bound.answer)

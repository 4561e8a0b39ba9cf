// The rating page: a summary, and questions with their scales.

import { Answers } from "./answers.js";
import { all, answerOf, hint, isBusy, isOnControl, one, press } from "./dom.js";
import { equip, goOn, queue, showNotes } from "./page.js";

const page = one("#page");
const state = JSON.parse(page.dataset.state);
const answers = new Answers(queue, state.task, state.answers);
const elements = all("[data-question]");
let current = 0;

const open = () => state.questions.filter(each => answers.get(each.id) === null);

function choose(question, index) {
  const value = state.questions[question]?.values[index];
  if (value === undefined) return;
  answers.give(state.questions[question].id, { value });
  const next = state.questions.findIndex((each, at) => at > question && answers.get(each.id) === null);
  highlight(next >= 0 ? next : question);
}

function highlight(index) {
  current = Math.max(0, Math.min(state.questions.length - 1, index));
  answers.show();
  draw();
  elements[current]?.scrollIntoView({ block: "nearest" });
}

function finish() {
  const first = state.questions.findIndex(each => answers.get(each.id) === null);
  if (first < 0) return goOn(state.task);
  highlight(first);
  hint("This question is still open.");
}

function undo() {
  const what = answers.undo();
  const index = state.questions.findIndex(each => each.id === what);
  if (index >= 0) highlight(index);
}

function draw() {
  elements.forEach((element, index) => {
    element.classList.toggle("now", index === current);
    const given = answers.get(element.dataset.question);
    for (const button of all("[data-value]", element)) press(button, given !== null && JSON.parse(button.dataset.value) === given.value);
  });
  const left = open().length;
  one("#questions-left").textContent = left ? `${left} ${left === 1 ? "question is" : "questions are"} open.` : "All questions are answered.";
  one("#progress").max = state.questions.length;
  one("#progress").value = state.questions.length - left;
  showNotes(answers);
}

for (const [index, element] of elements.entries()) {
  for (const [at, button] of all("[data-value]", element).entries()) button.addEventListener("click", () => choose(index, at));
}
one("#finish").addEventListener("click", finish);
document.addEventListener("keydown", event => {
  if (isBusy(event)) return;
  const answer = answerOf(state.questions[current].keys, event);
  if (answer >= 0) { event.preventDefault(); choose(current, answer); }
  else if (event.key === "ArrowDown") { event.preventDefault(); highlight(current + 1); }
  else if (event.key === "ArrowUp") { event.preventDefault(); highlight(current - 1); }
  else if (event.key === "Enter" && !isOnControl(event)) { event.preventDefault(); finish(); }
});

answers.addEventListener("change", draw);
answers.addEventListener("told", () => hint("This page was answered in another tab as well. The later answer counts, and is shown."));
equip({ current: () => answers, undo });
await answers.ready;
highlight(Math.max(0, state.questions.findIndex(each => answers.get(each.id) === null)));
page.dataset.ready = "true";

// The page of a mismatch: two texts, and tags that say why people and a measure disagree.

import { Answers } from "./answers.js";
import { all, answerOf, hint, isBusy, isOnControl, make, one, press } from "./dom.js";
import { equip, goOn, queue, showNotes } from "./page.js";

const QUESTION = "tags";
const page = one("#page");
const state = JSON.parse(page.dataset.state);
const answers = new Answers(queue, state.task, state.answers);
const place = one("#tags"), field = one("#own");

const given = () => answers.get(QUESTION)?.tags ?? [];
const same = tag => tag.split(/\s+/).filter(Boolean).join(" ").toLowerCase();
const has = tag => given().some(each => same(each) === same(tag));

/** Gives a tag, or takes it back; without any the question is open again. Says whether there was room for it. */
function toggle(tag) {
  const rest = given().filter(each => same(each) !== same(tag));
  const tags = rest.length < given().length ? rest : [...given(), tag];
  if (tags.length > state.most) {
    hint(`A mismatch has ${state.most} tags at the most. Take one back first.`);
    return false;
  }
  answers.give(QUESTION, tags.length ? { tags } : null);
  return true;
}

/** A semicolon separates tags, here as in tables. What cannot be a tag stays in the field; says whether all could. */
function addOwn() {
  const typed = field.value.split(";").map(tag => tag.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, " ").split(/\s+/).filter(Boolean).join(" ")).filter(Boolean);
  const left = [];
  for (const tag of typed) {
    if (has(tag)) continue;
    const long = [...tag].length;
    if (long > state.longest) {
      hint(`A tag has ${state.longest} characters at the most, and this one ${long}. Shorten it.`);
      left.push(tag);
    } else if (!toggle(tag)) left.push(tag);
  }
  field.value = left.join("; ");
  if (left.length) field.focus();
  return !left.length;
}

function finish() {
  if (field.value.trim() && !addOwn()) return;
  if (given().length) return goOn(state.task);
  hint("Choose a tag, or type one.");
}

function draw() {
  const known = new Set(state.tags.map(same));
  for (const button of all("[data-own]", place)) if (!has(button.dataset.tag)) button.remove();
  for (const tag of given()) {
    if (known.has(same(tag)) || all("[data-own]", place).some(each => same(each.dataset.tag) === same(tag))) continue;
    const button = make("button", "", { type: "button", "data-tag": tag, "data-own": "", "aria-pressed": "true" });
    button.append(make("span", tag, { dir: "auto" }));
    place.append(button);
  }
  for (const button of all("[data-tag]", place)) press(button, has(button.dataset.tag));
  const number = given().length;
  one("#questions-left").textContent = number ? `${number} ${number === 1 ? "tag" : "tags"} given.` : "No tag yet.";
  one("#progress").max = 1;
  one("#progress").value = number ? 1 : 0;
  showNotes(answers);
}

place.addEventListener("click", event => {
  const button = event.target.closest("[data-tag]");
  if (button) toggle(button.dataset.tag);
});
one("#own-form").addEventListener("submit", event => { event.preventDefault(); addOwn(); });
field.addEventListener("keydown", event => { if (event.key === "Escape") field.blur(); });
one("#finish").addEventListener("click", finish);
document.addEventListener("keydown", event => {
  if (isBusy(event)) return;
  const tag = answerOf(state.keys, event);
  if (tag >= 0) { event.preventDefault(); toggle(state.tags[tag]); }
  else if (event.key === "t") { event.preventDefault(); field.focus(); }
  else if (event.key === "Enter" && !isOnControl(event)) { event.preventDefault(); finish(); }
});

answers.addEventListener("change", draw);
answers.addEventListener("told", () => hint("This page was answered in another tab as well. The later answer counts, and is shown."));
equip({ current: () => answers, undo: () => answers.undo() });
await answers.ready;
draw();
page.dataset.ready = "true";

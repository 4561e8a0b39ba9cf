// The coverage page: content unit by unit, then the units that were never marked, then the quality.

import { Answers } from "./answers.js";
import { all, answerOf, hint, isBusy, isOnControl, make, me, one, press } from "./dom.js";
import { Drafts } from "./drafts.js";
import { equip, goOn, queue, showNotes } from "./page.js";

const page = one("#page");
const state = JSON.parse(page.dataset.state);
const answers = new Answers(queue, state.task, state.answers);
const drafts = new Drafts(`adjudge-${me.evaluation}-${me.person}-marks-${state.task}`);
const unitOf = id => `unit:${id}`;
const modelButtons = new Map(all("[data-model]").map(button => [button.dataset.model, button]));
const peerButtons = new Map(all("[data-peer]").map(button => [button.dataset.peer, button]));
const questions = all("[data-question]");
const steps = all("[data-step]").map(button => button.dataset.step);
const percent = index => state.completeness[index].label;

let step = "content";
let unit = state.model[0];
let question = 0; // which question on quality is highlighted
let marks = new Set(); // of the current unit, before its completeness is chosen
let doubt = null; // what an answer is asked about that contradicts its marks
const asked = new Set(); // units and answers that were asked about: once is enough

// What is known

const given = id => answers.get(unitOf(id));
const markedSomewhere = () => new Set(state.model.flatMap(id => given(id)?.marked ?? []));
const unmarkedUnits = () => state.peer.filter(id => !markedSomewhere().has(id));
const unmarkedChoices = () => state.unmarked[unmarkedUnits().length] ?? [];
const contentDone = () => state.model.every(id => given(id));
const most = Math.max(...state.completeness.map(each => each.value));
const inOrder = set => state.peer.filter(id => set.has(id));
const sameSet = (one, other) => one.length === other.length && one.every(each => other.includes(each));

function askedNow() {
  const asked = state.model.map(unitOf);
  if (steps.includes("unmarked") && unmarkedChoices().length) asked.push("unmarked");
  return [...asked, ...state.quality.map(each => each.id)];
}

const isDone = () => askedNow().every(each => answers.get(each) !== null);

function before() {
  if (state.saidBefore === "hide" || !marks.size) return null;
  return state.before.find(each => each.unit === unit && sameSet(each.marked, [...marks])) ?? null;
}

// What a person does

function goTo(id) {
  unit = id;
  doubt = null;
  marks = new Set(given(id)?.marked ?? drafts.get(id));
  answers.show();
  draw();
  modelButtons.get(id)?.scrollIntoView({ block: "nearest" });
}

/** All of it without a mark, or marks and none of it. */
const contradicts = completeness => completeness === 0 ? marks.size > 0 : completeness === most && !marks.size;
const label = completeness => percent(state.completeness.findIndex(each => each.value === completeness));

function toggle(id) {
  if (step !== "content" || !unit) return;
  if (!marks.delete(id)) marks.add(id);
  doubt = null;
  const known = before(), now = given(unit)?.completeness;
  if (now !== undefined && contradicts(now) && !asked.has(`${unit} ${now}`)) {
    changing(() => answers.give(unitOf(unit), null));
    drafts.set(unit, inOrder(marks));
    doubt = { text: `You chose “${label(now)}”, and now ${marks.size ? "something" : "nothing"} is marked. Choose again how much is expressed.` };
  } else if (now !== undefined) save(now); // the answer changes with its marks
  else if (known && state.saidBefore === "prefill" && !contradicts(known.completeness)) save(known.completeness);
  else drafts.set(unit, inOrder(marks));
  draw();
}

/** Saves how much is expressed; what contradicts the marks is asked about first, once. */
function decide(completeness) {
  const what = `${unit} ${completeness}`;
  doubt = null;
  if (!contradicts(completeness) || asked.has(what)) return save(completeness);
  asked.add(what);
  doubt = {
    completeness,
    text: marks.size
      ? `${marks.size} ${marks.size === 1 ? "unit is" : "units are"} marked, and you chose “${label(completeness)}”. Choose it again to keep it, or another answer. `
      : `Nothing is marked, and you chose “${label(completeness)}”. Choose it again to keep it, or mark what expresses it. `,
  };
}

function save(completeness) {
  changing(() => answers.give(unitOf(unit), { marked: inOrder(marks), completeness }));
  drafts.set(unit, []);
}

/** Runs something that may change which units are unmarked: what was said of them before is asked again. */
function changing(job) {
  const before = unmarkedUnits().join();
  const result = job();
  if (unmarkedUnits().join() !== before && answers.reopen("unmarked")) {
    hint("Other units are unmarked now: step 2 is asked again.");
  }
  return result;
}

function choose(index) {
  if (step === "content" && unit && state.completeness[index]) decide(state.completeness[index].value);
  else if (step === "unmarked" && unmarkedChoices()[index]) answers.give("unmarked", { relevant: unmarkedChoices()[index].value });
  else if (step === "quality" && state.quality[question]?.values[index] !== undefined) {
    answers.give(state.quality[question].id, { value: state.quality[question].values[index] });
    const open = state.quality.findIndex((each, at) => at > question && answers.get(each.id) === null);
    highlight(open >= 0 ? open : Math.min(question + 1, state.quality.length - 1));
  }
}

function next() {
  if (step === "content") {
    if (doubt?.completeness !== undefined) return hint("Choose the same answer again to keep it, or another one.");
    if (!given(unit)) return hint("Choose how much of the unit is expressed first; 0 % where it is not.");
    const at = state.model.indexOf(unit);
    const open = [...state.model.slice(at + 1), ...state.model.slice(0, at)].find(id => !given(id));
    if (at + 1 < state.model.length) goTo(state.model[at + 1]);
    else if (open) goTo(open);
    else show(steps[1] ?? "content");
    if (!open && at + 1 >= state.model.length && steps.length === 1) finish();
  } else if (step === "unmarked") {
    if (unmarkedChoices().length && answers.get("unmarked") === null) return hint("Choose one of the answers first.");
    if (steps.includes("quality")) show("quality"); else finish();
  } else finish();
}

function finish() {
  if (isDone()) return goOn(state.task);
  const open = askedNow().find(each => answers.get(each) === null);
  if (open.startsWith("unit:")) { show("content"); goTo(open.slice(5)); }
  else if (open === "unmarked") show("unmarked");
  else { show("quality"); highlight(state.quality.findIndex(each => each.id === open)); }
  hint("This one is still open.");
}

function move(by) {
  if (step === "content") {
    const id = state.model[state.model.indexOf(unit) + by];
    if (id) goTo(id);
  } else if (step === "quality") highlight(Math.max(0, Math.min(state.quality.length - 1, question + by)));
}

function highlight(index) {
  question = index;
  answers.show();
  draw();
  questions[index]?.scrollIntoView({ block: "nearest" });
}

function undo() {
  const before = new Map(state.model.map(id => [id, given(id)?.marked]));
  const what = changing(() => answers.undo());
  // Without its completeness a unit is as it was just before: marked.
  if (what?.startsWith("unit:") && !given(what.slice(5))) drafts.set(what.slice(5), before.get(what.slice(5)) ?? []);
  if (what?.startsWith("unit:")) { show("content"); goTo(what.slice(5)); }
  else if (what === "unmarked" && contentDone()) show("unmarked");
  else if (state.quality.some(each => each.id === what)) { show("quality"); highlight(state.quality.findIndex(each => each.id === what)); }
}

function show(name) {
  if (name === "unmarked" && !contentDone()) {
    const open = state.model.filter(id => !given(id)).length;
    return hint(`Step 2 opens after step 1: ${open} ${open === 1 ? "unit of the reference is" : "units of the reference are"} open.`);
  }
  step = name;
  answers.show();
  draw();
  scrollTo({ top: 0 });
}

// What the page shows

function draw() {
  for (const button of all("[data-step]")) {
    if (button.dataset.step === step) button.setAttribute("aria-current", "step"); else button.removeAttribute("aria-current");
    if (button.dataset.step === "unmarked") {
      button.dataset.closed = String(!contentDone());
      button.title = contentDone() ? "" : "Opens when every unit of the reference is answered";
    }
  }
  drawContent();
  drawUnmarked();
  drawQuality();
  const asked = askedNow();
  one("#progress").max = asked.length;
  one("#progress").value = asked.filter(each => answers.get(each) !== null).length;
  showNotes(answers);
}

function drawContent() {
  const here = step === "content";
  one("#dock-content").hidden = !here;
  one("#model-side").hidden = step === "quality";
  for (const [id, button] of modelButtons) {
    const now = here && id === unit;
    button.classList.toggle("now", now);
    if (now) button.setAttribute("aria-current", "true"); else button.removeAttribute("aria-current");
    const value = given(id)?.completeness;
    const index = state.completeness.findIndex(each => each.value === value);
    one("[data-chip]", button).textContent = index >= 0 ? percent(index) : now ? "now" : "";
  }
  const somewhere = markedSomewhere();
  for (const [id, button] of peerButtons) {
    const on = here ? marks.has(id) : somewhere.has(id);
    press(button, on);
    button.classList.toggle("marked", on);
    button.disabled = !here;
    one("[data-chip]", button).textContent = on ? "✓ marked" : somewhere.has(id) ? "elsewhere" : step === "unmarked" ? "unmarked" : "";
  }
  for (const button of all("#completeness button")) {
    press(button, state.completeness[button.dataset.index].value === given(unit)?.completeness);
  }
  const last = state.model.indexOf(unit) === state.model.length - 1;
  one("#next").firstChild.textContent = last ? "Next step " : "Next unit ";
  drawDoubt();
  const known = before();
  const note = one("#before");
  note.hidden = !known || given(unit)?.completeness === known.completeness;
  if (known) {
    const said = percent(state.completeness.findIndex(each => each.value === known.completeness));
    const use = make("button", "Use it", { type: "button", class: "link" });
    use.addEventListener("click", () => { decide(known.completeness); draw(); });
    note.replaceChildren(`You judged ${known.marked.length > 1 ? "these sentences" : "this sentence"} against this unit before: ${said}. `, use);
  }
}

function drawDoubt() {
  const place = one("#doubt");
  place.hidden = !doubt;
  if (!doubt) return;
  const keep = make("button", "Keep it", { type: "button", class: "link" });
  keep.addEventListener("click", () => { decide(doubt.completeness); draw(); });
  place.replaceChildren(doubt.text, ...doubt.completeness === undefined ? [] : [keep]);
}

function drawUnmarked() {
  one("#dock-unmarked").hidden = step !== "unmarked";
  if (step !== "unmarked") return;
  const choices = unmarkedChoices(), count = unmarkedUnits().length;
  const place = one("#unmarked");
  place.replaceChildren(...choices.map((choice, index) => {
    const button = make("button", `${choice.label} `, { type: "button" });
    button.append(make("kbd", String(index + 1)));
    press(button, answers.get("unmarked")?.relevant === choice.value);
    button.addEventListener("click", () => { choose(index); draw(); });
    return button;
  }));
  place.hidden = !choices.length;
  one("#ask-unmarked").hidden = !choices.length;
  one("#unmarked-note").textContent = count ? `${count} ${count === 1 ? "unit was" : "units were"} never marked.` : "Every unit of the summary was marked: nothing is asked here.";
}

function drawQuality() {
  const here = step === "quality";
  one("#quality-side").hidden = !here;
  one("#dock-quality").hidden = !here;
  const running = here && one("#boundaries").getAttribute("aria-pressed") === "true";
  one("#running").hidden = !running;
  one("#peer-units").hidden = running;
  if (!here) return;
  questions.forEach((element, index) => {
    element.classList.toggle("now", index === question);
    const value = answers.get(element.dataset.question)?.value;
    for (const button of all("[data-value]", element)) {
      press(button, answers.get(element.dataset.question) !== null && JSON.parse(button.dataset.value) === value);
    }
  });
  const open = state.quality.filter(each => answers.get(each.id) === null).length;
  one("#quality-left").textContent = open ? `${open} ${open === 1 ? "question is" : "questions are"} open.` : "All questions are answered.";
}

function find(words) {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  let first = -1;
  questions.forEach((element, index) => {
    const fits = wanted.every(word => element.dataset.words.includes(word));
    element.hidden = !fits;
    if (fits && first < 0) first = index;
  });
  if (wanted.length && first >= 0) highlight(first);
}

// Wiring

for (const [id, button] of modelButtons) button.addEventListener("click", () => { show("content"); goTo(id); });
for (const [id, button] of peerButtons) button.addEventListener("click", () => toggle(id));
for (const button of all("#completeness button")) button.addEventListener("click", () => { choose(Number(button.dataset.index)); draw(); });
for (const button of all("[data-step]")) button.addEventListener("click", () => show(button.dataset.step));
for (const [index, element] of questions.entries()) {
  for (const [at, button] of all("[data-value]", element).entries()) button.addEventListener("click", () => { question = index; choose(at); draw(); });
}
for (const id of ["next", "next-unmarked"]) one(`#${id}`)?.addEventListener("click", next);
one("#finish").addEventListener("click", finish);
one("#boundaries").addEventListener("click", hideBoundaries);
one("#find").addEventListener("input", event => find(event.target.value));
one("#find").addEventListener("keydown", event => {
  if (event.key !== "Enter" && event.key !== "Escape") return;
  event.preventDefault();
  event.target.value = "";
  questions.forEach(element => { element.hidden = false; });
  event.target.blur();
  highlight(question);
});

function hideBoundaries() {
  const button = one("#boundaries");
  press(button, button.getAttribute("aria-pressed") !== "true");
  draw();
}

document.addEventListener("keydown", event => {
  if (isBusy(event)) return;
  const letter = event.key.toLowerCase();
  const peer = all("[data-letter]").find(button => button.dataset.letter === letter);
  const keys = step === "quality" ? state.quality[question].keys : ["1", "2", "3", "4", "5", "6", "7", "8", "9"];
  const answer = answerOf(keys, event);
  if (answer >= 0) { event.preventDefault(); choose(answer); draw(); }
  else if (step === "content" && /^[a-z]$/.test(letter) && peer) { event.preventDefault(); toggle(peer.dataset.peer); }
  else if (event.key === "Enter" && !isOnControl(event)) { event.preventDefault(); next(); }
  else if (event.key === "ArrowDown") { event.preventDefault(); move(1); }
  else if (event.key === "ArrowUp") { event.preventDefault(); move(-1); }
  else if (step === "quality" && event.key === "/") { event.preventDefault(); one("#find").focus(); }
  else if (step === "quality" && letter === "b") { event.preventDefault(); hideBoundaries(); }
});

answers.addEventListener("change", () => {
  if (unit && given(unit)) marks = new Set(given(unit).marked);
  draw();
});
answers.addEventListener("told", ({ detail }) => hint(detail.how === "later"
  ? "You answered this in another tab as well. This later answer counts."
  : "This was answered in another tab. The later answer counts, and is shown."));
equip({ current: () => answers, undo });
await answers.ready;
const open = state.model.find(id => !given(id));
if (state.model.length) goTo(open ?? state.model[0]);
if (!open && state.model.length) {
  if (unmarkedChoices().length && answers.get("unmarked") === null && steps.includes("unmarked")) show("unmarked");
  else if (steps.includes("quality") && !isDone()) {
    show("quality");
    highlight(Math.max(0, state.quality.findIndex(each => answers.get(each.id) === null)));
  }
}
draw();
page.dataset.ready = "true";

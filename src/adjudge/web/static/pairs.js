// The preference page: one pair after the other, one key press each. The next pairs are here before they are needed.

import { Answers } from "./answers.js";
import { all, ask, hint, isBusy, make, one, renew } from "./dom.js";
import { equip, queue, showNotes } from "./page.js";

const AHEAD = 3; // pairs kept ready
const BACK = 50; // pairs that can be undone
const page = one("#page");
const ready = []; // pairs to come
const past = []; // pairs that were answered here, latest last
const seen = new Set(); // every pair that this page was given
let now = null;
let answers = null;
let known = null; // what the server said of progress, and how many were answered here by then
let before = { live: 0, assigned: 0 }; // pairs answered here that cannot be undone any more
let fetching = null;

/** How many pairs of a kind were answered on this page. */
const answeredHere = kind => before[kind] + past.filter(pair => kindOf(pair) === kind).length;
const kindOf = pair => pair.live ? "live" : "assigned";

async function fill() {
  if (fetching) return fetching;
  const first = seen.size === 0 && page.dataset.first ? page.dataset.first : null;
  fetching = ask("/api/pairs/next", { count: AHEAD, have: [...seen].slice(-1000), first })
    .then(found => {
      known ??= { done: found.done, assigned: found.assigned, assignedDone: found.assigned_done };
      known.quota = found.quota;
      known.others = Math.max(known.others ?? 0, found.quota_done - answeredHere("live")); // what was asked before, and elsewhere
      for (const pair of found.pairs) if (!seen.has(pair.task)) { seen.add(pair.task); ready.push(pair); }
      return found.pairs.length;
    })
    .finally(() => { fetching = null; });
  return fetching;
}

async function advance() {
  now = null;
  if (!ready.length) draw(); // nothing that is answered already stays on the screen
  while (!ready.length) {
    try {
      if (!await fill() && !ready.length) return now ? undefined : draw("Nothing more to compare. Thank you.");
    } catch (error) {
      const out = [401, 403, 409].includes(error.status);
      if (out && await renew() === "renewed") continue;
      draw(out ? "Sign in to go on. Your answers are kept." : error.status ? "The next pair cannot be had at the moment. Trying again …" : "No connection. Trying again …");
      await new Promise(resolve => setTimeout(resolve, 2000));
    }
  }
  if (now) return; // an undo came in between
  take(ready.shift());
  if (ready.length < AHEAD) fill().catch(() => {});
}

function take(pair) {
  now = pair;
  if (!pair.kept) {
    pair.kept = new Answers(queue, pair.task, pair.answers, { watch: false });
    pair.kept.addEventListener("told", ({ detail }) => detail.how === "later" && hint("You answered this pair in another tab as well. This later answer counts."));
  }
  answers = pair.kept;
  answers.show();
  draw();
}

function choose(winner) {
  if (!now || (winner === "tie" && !now.tie) || (winner === "skip" && !now.skip)) return;
  answers.give("preference", { winner });
  past.push(now);
  past.at(-BACK)?.kept.close(); // as far as one can go back
  if (past.length >= BACK) for (const pair of past.splice(0, past.length - BACK + 1)) before[kindOf(pair)]++;
  advance();
}

/** Back to the pair before, whose answer is taken back; what was on the screen comes again afterwards. */
function undo() {
  const last = past.pop();
  if (!last) return;
  if (now) ready.unshift(now);
  take(last);
  answers.give("preference", null);
  draw();
}

function draw(message = null) {
  one("#sides").hidden = one("#more").hidden = one("#ask").hidden = one("#question").hidden = !now;
  one("#empty").hidden = Boolean(now);
  one("#empty").textContent = message ?? "Loading …";
  if (!now) return;
  one("#topic").textContent = now.topic;
  drawProgress();
  one("#ask").textContent = now.ask;
  one("#question").textContent = now.question ?? "";
  for (const side of ["left", "right"]) one(`#${side}`).replaceChildren(...now[side].map(words => make("span", words, { class: "p" })));
  const chosen = answers.get("preference")?.winner;
  for (const button of all("[data-winner]")) button.setAttribute("aria-pressed", String(button.dataset.winner === chosen));
  one("[data-winner=tie]").hidden = !now.tie;
  one("[data-winner=skip]").hidden = !now.skip;
  one("#guidelines-title").textContent = now.title;
  one("#guidelines").replaceChildren(...now.guidelines.map(words => make("p", words)));
  showNotes(answers);
  one("[data-tool=undo]").disabled = !past.length;
  page.dataset.task = now.task;
}

/** Assigned pairs against what is assigned; live ones, which are shared, against what is planned for everybody. */
function drawProgress() {
  const assigned = known.assignedDone + answeredHere("assigned");
  const live = Math.min(known.others + answeredHere("live"), known.quota);
  const [value, max, label] = now.live
    ? [live, known.quota, `${live} of the ${known.quota} pairs that are planned for everybody are answered`]
    : [assigned, known.assigned, "Answered of those that are assigned to you"];
  const count = known.done + answeredHere("live") + answeredHere("assigned");
  one("#where").textContent = now.live ? `Pair ${count + 1}` : `Pair ${Math.min(assigned + 1, max)} of ${max}`;
  one("#where").title = now.live ? label : "";
  one("#progress").max = max;
  one("#progress").value = value;
  one("#progress").setAttribute("aria-label", label);
  one("#quota").textContent = now.live ? `${live} of ${max} answered by everybody` : "";
}

const KEYS = { ArrowLeft: "left", ArrowRight: "right", 1: "left", 2: "right", 3: "tie", 0: "skip" };
document.addEventListener("keydown", event => {
  if (isBusy(event) || !KEYS[event.key]) return;
  event.preventDefault();
  choose(KEYS[event.key]);
});
for (const button of all("[data-winner]")) button.addEventListener("click", () => choose(button.dataset.winner));
queue.addEventListener("elsewhere", ({ detail: { task, question, answer } }) => {
  if (question !== "preference" || answer === null) return;
  const at = ready.findIndex(pair => pair.task === task);
  if (at >= 0) ready.splice(at, 1); // answered in another tab: not asked again here
  else if (task === now?.task) hint("This pair was answered in another tab. A later answer counts.");
});
equip({ current: () => answers, undo });
await queue.ready; // a pair whose answer this browser still keeps is not asked again
await advance();
page.dataset.ready = "true";

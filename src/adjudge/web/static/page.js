// What all pages for judging share: the state of saving, dialogs, notes, undo, and keys that mean the same everywhere.

import { all, ask, banner, base, hint, isBusy, isField, make, one } from "./dom.js";
import { Queue } from "./queue.js";

const SAYS = {
  saved: () => "Saved",
  saving: () => "Saving …",
  offline: n => `Offline · ${n} kept here`,
  unsaved: n => `Not saved yet · ${n} kept here`,
  "signed-out": n => `Signed out · ${n} kept here`,
  "other-person": n => `${n} kept here`,
  refused: n => `Not saved · ${n} kept here`,
};

export const queue = new Queue();

function showState() {
  const place = one("#save");
  place.dataset.state = queue.state;
  place.textContent = SAYS[queue.state](queue.waiting);
  const link = () => make("a", "Sign in", { href: `${base}/in`, target: "_blank", rel: "noopener" });
  if (queue.state === "signed-out") banner("You are signed out. Your answers are kept on this computer. ", link());
  else if (queue.state === "other-person") {
    banner("Somebody else is signed in here. Your answers are kept on this computer until you sign in again. ", link());
  } else if (queue.state === "unsaved") {
    banner("Not saved yet; kept on this computer. The server cannot save answers at the moment; they are sent again until it does.");
  } else if (queue.state === "refused") banner("The server does not understand this page. Reload it; nothing is lost.");
  else banner(null);
}

queue.addEventListener("state", showState);
showState();
queue.addEventListener("refused", ({ detail }) => hint(`An answer was not taken: ${detail.why}. The page shows what counts.`));

// What has the focus is never under a bar that sticks to an edge, however many lines that bar has.
new ResizeObserver(() => {
  const [top, bottom] = [".top", ".dock:not([hidden])"].map(each => {
    const bar = one(each);
    return bar && getComputedStyle(bar).position === "sticky" ? bar.offsetHeight : 0;
  });
  document.documentElement.style.scrollPadding = `${top + 16}px 0 ${bottom + 16}px`;
}).observe(document.body);

/** Dialogs, tools and common keys. `current()` gives the answers of what is shown; `undo()` takes the last one back. */
export function equip({ current, undo }) {
  const tools = {
    source: () => openSource(current()),
    guidelines: () => one("#dialog-guidelines").showModal(),
    comment: () => openNote(current(), "comment", "Comment", "Kept with this page. The organiser reads it."),
    flag: () => openNote(current(), "flag", "Flag for the organiser", "What is wrong with this page? Leave it empty to take the flag back."),
    keys: () => one("#dialog-keys").showModal(),
    undo,
  };
  const keys = { ".": "source", ",": "guidelines", "+": "comment", "!": "flag", "?": "keys" };
  for (const button of all("[data-tool]")) button.addEventListener("click", () => tools[button.dataset.tool]());
  document.addEventListener("keydown", event => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z" && !one("dialog[open]") && !isField(event.target)) {
      event.preventDefault();
      if (!event.repeat) undo();
    } else if (!isBusy(event) && keys[event.key]) {
      event.preventDefault();
      tools[keys[event.key]]();
    }
  });
  one("#note-text").addEventListener("keydown", event => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !event.repeat) one("#note-form").requestSubmit(one("#note-form [value=keep]"));
  });
}

function openNote(answers, question, title, help) {
  if (!answers) return;
  const dialog = one("#dialog-note"), field = one("#note-text");
  one("#note-title").textContent = title;
  one("#note-help").textContent = help;
  field.value = answers.get(question)?.text ?? "";
  dialog.returnValue = "";
  dialog.onclose = () => {
    if (dialog.returnValue !== "keep") return;
    const text = field.value.trim();
    answers.give(question, text ? { text } : null);
  };
  dialog.showModal();
  field.focus();
}

const read = new Map();

async function openSource(answers) {
  if (!answers) return;
  const place = one("#source");
  one("#dialog-source").showModal();
  if (place.dataset.task === answers.task) return;
  place.dataset.task = answers.task;
  place.replaceChildren(make("p", "Loading …"));
  const found = read.get(answers.task) ?? await ask(`/api/tasks/${answers.task}/source`).catch(() => null);
  if (!found) {
    delete place.dataset.task;
    place.replaceChildren(make("p", "The source cannot be had now. Try again."));
    return;
  }
  read.set(answers.task, found);
  one("#source-title").textContent = found.title;
  const parts = found.question ? [make("p", found.question, { class: "question-text", dir: "auto" })] : [];
  if (found.known.length) parts.push(make("h3", "What the reader already knows"), ...found.known.flatMap(text));
  if (found.known.length) parts.push(make("h3", "What is new"));
  parts.push(...found.documents.flatMap(text));
  if (!found.documents.length) parts.push(make("p", "This topic has no source documents."));
  place.replaceChildren(...parts);
}

const text = each => [
  make("h4", [each.label, each.date].filter(Boolean).join(" · ")),
  ...each.paragraphs.map(words => make("p", words, { dir: "auto" })),
];

/** Shows which tools have something in them. */
export function showNotes(answers) {
  for (const name of ["comment", "flag"]) {
    one(`[data-tool=${name}]`).classList.toggle("on", Boolean(answers?.get(name)));
  }
  one("[data-tool=undo]").disabled = !answers?.canUndo;
}

/** Goes to the next task that is not done, or back to the list. Waits until this page's answers are on the server. */
export async function goOn(task) {
  await queue.settle();
  const next = await ask(`/api/tasks/${task}/next`).catch(() => null);
  if (!next) return hint("The next page cannot be had now. Try again in a moment; your answers are kept.");
  location.assign(next.task && next.task !== task ? `${base}/task/${next.task}` : `${base}/work`);
}

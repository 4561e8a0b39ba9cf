// My work: one key to go on; what this browser still keeps is sent from here too.

import { banner, isBusy, one } from "./dom.js";
import { Queue } from "./queue.js";

const queue = new Queue();
queue.addEventListener("state", () => {
  const kept = `${queue.waiting} ${queue.waiting === 1 ? "answer is" : "answers are"} kept on this computer`;
  if (queue.state === "saving" || queue.state === "saved") banner(null);
  else if (queue.state === "unsaved") banner(`Not saved yet; ${kept}. The server cannot save answers at the moment; they are sent again until it does.`);
  else banner(queue.state === "offline" ? `Offline: ${kept} and will be sent.` : `Sign in again: ${kept} until you do.`);
});
document.addEventListener("keydown", event => {
  if (!isBusy(event) && event.key === "Enter" && !(event.target instanceof HTMLAnchorElement)) one("#resume")?.click();
});

// The account page: a password, and signing out. Answers that are kept here are sent first.

import { ask, banner, base, one } from "./dom.js";
import { Queue } from "./queue.js";

const queue = new Queue();
one("#password")?.addEventListener("submit", async event => {
  event.preventDefault();
  const form = new FormData(event.target);
  try {
    await ask("/api/password", { password: form.get("password"), old: form.get("old") });
    event.target.reset();
    banner("The password is set.");
  } catch (error) {
    banner(error.status === 422 ? "A password has 10 to 1,000 characters." : error.message);
  }
});
one("#out").addEventListener("click", async () => {
  await queue.settle();
  try {
    await ask("/api/sign-out", {});
    location.replace(`${base}/in`);
  } catch (error) {
    banner(error.message);
  }
});

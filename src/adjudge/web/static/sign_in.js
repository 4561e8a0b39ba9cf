// Signing in. The token of a personal link stands behind the #, which browsers send to nobody; it is taken off at once.

import { ask, banner, base, one } from "./dom.js";

async function enter(how) {
  try {
    const now = await ask("/api/me"); // somebody may have signed in since this page was opened
    await ask("/api/sign-in", how, { "X-Adjudge-CSRF": now.csrf ?? "" });
    location.replace(`${base}/`);
  } catch (error) {
    banner(error.status === 401 ? "This does not open anything. Ask the organiser for a new link."
      : error.status === 0 ? "No connection. Try again." : error.message);
  }
}

function followLink() {
  const token = location.hash.slice(1);
  if (!token) return;
  history.replaceState(null, "", location.pathname);
  enter({ token });
}

addEventListener("hashchange", followLink); // the link opened while this page was there already
followLink();
one("#form").addEventListener("submit", event => {
  event.preventDefault();
  const form = new FormData(event.target);
  enter({ person: form.get("person"), password: form.get("password") });
});

// What a page looks like, in words: text that is cut or overlaps, and where the page scrolls sideways.
// Runs in the page. `paper` is the width of a sheet, in pixels, where it is printed and nothing can be scrolled.
(paper) => {
  const SLACK = 2;          // pixels that may overlap or be cut: less is not seen
  const BLANK = 0.15;       // of a line's height, above and below, that letters leave free
  const WIDE = 1200;        // pixels from which a window is wide
  const UNDRAWN = "title, desc, style, script, template, noscript, option, datalist, textarea";
  const root = document.documentElement;
  const styles = new Map();
  const styleOf = e => { let s = styles.get(e); if (!s) styles.set(e, s = getComputedStyle(e)); return s; };
  const boxes = new Map();
  const boxOf = e => { let b = boxes.get(e); if (!b) boxes.set(e, b = plainBox(e)); return b; };
  const excerpt = text => { text = text.trim().replace(/\s+/g, " "); return text.length > 40 ? text.slice(0, 39) + "…" : text; };
  const svg = e => e instanceof SVGElement;

  for (const e of document.querySelectorAll("*")) if (e.scrollLeft || e.scrollTop) e.scrollTo(0, 0);
  window.scrollTo(0, 0);

  function plainBox(e) {
    const b = e.getBoundingClientRect();
    return { left: b.left, top: b.top, right: b.right, bottom: b.bottom };
  }

  // Text for those who listen, which nobody sees.
  const unseen = new Map();
  function heard(e) {
    if (!e || e === root) return false;
    if (unseen.has(e)) return unseen.get(e);
    const s = styleOf(e), b = e.getBoundingClientRect();
    const own = /inset\(50%|inset\(100%/.test(s.clipPath) || (s.overflow === "hidden" && !svg(e) && b.width <= 1 && b.height <= 1);
    const found = own || heard(e.parentElement);
    unseen.set(e, found);
    return found;
  }

  const cornersOf = (l, t, r, b) => [[l, t], [r, t], [r, b], [l, b]];
  const around = q => ({
    left: Math.min(...q.map(p => p[0])), right: Math.max(...q.map(p => p[0])),
    top: Math.min(...q.map(p => p[1])), bottom: Math.max(...q.map(p => p[1])) });

  // The lines of a text node as quadrilaterals, without the room that letters leave above and below.
  function quadsOf(node, parent) {
    if (svg(parent)) {
      const b = parent.getBBox(), m = parent.getScreenCTM();
      if (!b.width || !m) return [];
      return [cornersOf(b.x, b.y + BLANK * b.height, b.x + b.width, b.y + (1 - BLANK) * b.height)
        .map(([x, y]) => [m.a * x + m.c * y + m.e, m.b * x + m.d * y + m.f])];
    }
    const range = document.createRange();
    range.selectNodeContents(node);
    const upright = !styleOf(parent).writingMode.startsWith("vertical");
    return [...range.getClientRects()].filter(b => b.width > 0.5 && b.height > 0.5).map(b => {
      const dx = upright ? 0 : BLANK * b.width, dy = upright ? BLANK * b.height : 0;
      return cornersOf(b.left + dx, b.top + dy, b.right - dx, b.bottom - dy);
    });
  }

  const meet = (a, b) => ({ left: Math.max(a.left, b.left), right: Math.min(a.right, b.right), top: Math.max(a.top, b.top), bottom: Math.min(a.bottom, b.bottom) });
  const empty = b => b.right - b.left <= 0 || b.bottom - b.top <= 0;

  const clipped = [], items = [];
  const titled = (e, s) => (s.textOverflow === "ellipsis" || (s.webkitLineClamp && s.webkitLineClamp !== "none"))
    && Boolean(e.closest("[title]")?.getAttribute("title") || e.querySelector("[title]"));

  // Notes where a line of text stands and what cuts it; says whether all of it is seen.
  function take(node, parent, quad) {
    let box = around(quad), whole = quad, scroller = null, inside = null, gone = false;
    let position = "static";
    for (let e = parent; e && e !== root; e = e.parentElement) {
      const s = styleOf(e);
      if (position === "absolute" && s.position === "static" && s.transform === "none") continue;
      const outer = svg(e) && e.tagName.toLowerCase() === "svg";
      const [x, y] = outer ? ["hidden", "hidden"] : svg(e) ? ["visible", "visible"] : [s.overflowX, s.overflowY];
      if (x !== "visible" || y !== "visible") {
        const b = boxOf(e), cut = meet(box, b);
        const scrolls = v => v === "auto" || v === "scroll";
        const over = [
          (x !== "visible" && (paper || !scrolls(x))) ? Math.max(box.right - b.right, b.left - box.left) : 0,
          (y !== "visible" && (paper || !scrolls(y))) ? Math.max(box.bottom - b.bottom, b.top - box.top) : 0];
        if (Math.max(...over) > SLACK && e !== document.body && !titled(e, s))
          clipped.push(`“${excerpt(node.data)}” is cut by ${Math.round(Math.max(...over))} px by ${nameOf(e)}`);
        if (!paper && (scrolls(x) || scrolls(y)) && !scroller) { scroller = e; inside = { quad: whole, box }; }
        if (cut.left !== box.left || cut.right !== box.right || cut.top !== box.top || cut.bottom !== box.bottom) whole = null;
        box = cut;
        if (empty(box)) { gone = true; break; }
      }
      if (s.position !== "static") position = s.position;
      if (position === "fixed") break;
    }
    const width = paper || root.clientWidth;
    if (!gone && !svgRoot && (box.left < -SLACK || (box.right > width + SLACK) || box.top + scrollY < -SLACK))
      clipped.push(`“${excerpt(node.data)}” sticks out of the page`);
    if (svgRoot) {
      const frame = root.getBoundingClientRect();
      if (box.left < frame.left - SLACK || box.right > frame.right + SLACK || box.top < frame.top - SLACK || box.bottom > frame.bottom + SLACK)
        clipped.push(`“${excerpt(node.data)}” sticks out of the picture`);
    }
    if (inside) items.push({ node, scroller, quad: inside.quad || cornersOf(inside.box.left, inside.box.top, inside.box.right, inside.box.bottom), seen: gone ? null : box });
    else if (!gone) items.push({ node, scroller: null, quad: whole || cornersOf(box.left, box.top, box.right, box.bottom), seen: box, fixed: position === "fixed" });
    return !gone && whole !== null;
  }

  function nameOf(e) {
    const own = e.id ? "#" + e.id : e.classList.length ? "." + [...e.classList].join(".") : "";
    return e.tagName.toLowerCase() + own;
  }

  const svgRoot = root.tagName.toLowerCase() === "svg";
  const walker = document.createTreeWalker(svgRoot ? root : document.body, NodeFilter.SHOW_TEXT);
  const texts = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!node.data.trim() || parent.closest(UNDRAWN)) continue;
    if (!parent.checkVisibility({ visibilityProperty: true, opacityProperty: true, contentVisibilityAuto: true })) continue;
    if (heard(parent)) continue;
    const quads = quadsOf(node, parent);
    if (quads.map(quad => take(node, parent, quad)).every(Boolean) && quads.length) texts.push(node.data.trim());
    if (svg(parent) && /…$/.test(node.data.trim()) && !parent.querySelector("title") && !parent.closest("g:has(> title)"))
      clipped.push(`“${excerpt(node.data)}” ends in an ellipsis`);
  }

  // How deep two convex quadrilaterals reach into each other: the least overlap of their shadows on any side's normal.
  function depth(p, q) {
    let least = Infinity;
    for (const [a, other] of [[p, q], [q, p]]) for (let k = 0; k < 4; k++) {
      const [x1, y1] = a[k], [x2, y2] = a[(k + 1) % 4], size = Math.hypot(x2 - x1, y2 - y1);
      if (!size) continue;
      const nx = (y2 - y1) / size, ny = (x1 - x2) / size;
      const shadow = c => { const d = c.map(([x, y]) => x * nx + y * ny); return [Math.min(...d), Math.max(...d)]; };
      const [a0, a1] = shadow(a), [b0, b1] = shadow(other);
      least = Math.min(least, Math.min(a1, b1) - Math.max(a0, b0));
      if (least <= 0) return 0;
    }
    return least;
  }

  const overlaps = [];
  for (const item of items) item.box = around(item.quad);
  items.sort((a, b) => a.box.top - b.box.top);
  for (let i = 0; i < items.length; i++) {
    const a = items[i];
    for (let j = i + 1; j < items.length && items[j].box.top < a.box.bottom; j++) {
      const b = items[j];
      if (a.node === b.node || a.fixed !== b.fixed || b.box.left >= a.box.right || a.box.left >= b.box.right) continue;
      let by;
      if (a.scroller === b.scroller) by = depth(a.quad, b.quad);
      else if (a.seen && b.seen) { const m = meet(a.seen, b.seen); by = Math.min(m.right - m.left, m.bottom - m.top); }
      else continue;
      if (by > SLACK) overlaps.push(`“${excerpt(a.node.data)}” and “${excerpt(b.node.data)}” overlap by ${Math.round(by)} px`);
    }
  }

  const room = paper || root.clientWidth, scroll = svgRoot ? 0 : root.scrollWidth - room;
  const sideways = [];
  if (scroll > 0) {
    const wide = [...document.body.querySelectorAll("*")].filter(e => e.getBoundingClientRect().right > room + 1);
    const names = wide.filter(e => ![...e.children].some(c => wide.includes(c))).map(nameOf);
    sideways.push(`the page is ${scroll} px wider than ${paper ? "the paper" : "the window"}: ${[...new Set(names)].slice(0, 4).join(", ")}`);
  }
  // A wide window has room for a table of words and numbers; maps of many systems, and what is folded away, may scroll.
  if (!paper && room >= WIDE) for (const e of document.querySelectorAll(".scroll.plain")) {
    const over = e.scrollWidth - e.clientWidth;
    if (over > SLACK && !e.closest("details")) sideways.push(`“${excerpt(e.innerText)}” is ${over} px wider than its box`);
  }
  return { sideways, clipped: [...new Set(clipped)], overlaps: [...new Set(overlaps)], texts };
}

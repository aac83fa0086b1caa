"use strict";
// Pages work without this script: pictures are links to themselves, and lists have links. It adds
// keys, shows a picture enlarged on its page, and unfolds what an address names.

const find = (css, within = document) => within.querySelector(css);
const all = (css, within = document) => [...within.querySelectorAll(css)];
const SCROLLS = "input, select, textarea, [contenteditable], .wide, dialog";

function made(tag, attributes = {}, ...inside) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...inside);
  return element;
}

// --- Keys: the question or page before and after. ---
const REL = { ArrowLeft: "prev", ArrowRight: "next" };
document.addEventListener("keydown", (event) => {
  const has = event.altKey || event.ctrlKey || event.metaKey || event.shiftKey;
  if (has || event.defaultPrevented || !REL[event.key] || event.target.closest(SCROLLS)) return;
  const to = find(`.pager a[rel=${REL[event.key]}]`);
  if (to) { event.preventDefault(); to.click(); }
});
for (const hint of all(".keys")) hint.hidden = false;

// --- An address that names something folded. ---
function unfold() {
  const target = location.hash && document.getElementById(location.hash.slice(1));
  if (!target) return;
  for (let at = target; at; at = at.parentElement) if (at.matches("details")) at.open = true;
  target.scrollIntoView();
}
addEventListener("hashchange", unfold);
unfold();

// --- Pictures enlarged: Enter or a click opens, Escape closes, arrows go on. ---
const image = made("img", { alt: "" });
const frame = made("div", { class: "frame", tabindex: "0", role: "group", "aria-label": "Picture" }, image);
const caption = made("p", { "aria-live": "polite" });
const button = (text) => made("button", { type: "button" }, text);
const [before, after, size, close] = ["Previous", "Next", "Full size", "Close"].map(button);
const dialog = made("dialog", { "aria-label": "Enlarged picture" },
  made("div", { class: "tools" }, before, after, size, close), caption, frame);
let among = [], shown = 0;

function show(place) {
  shown = (place + among.length) % among.length;
  const of = find("img", among[shown]);
  image.src = among[shown].href;
  image.alt = of.alt;
  caption.textContent = `${of.alt} (${shown + 1} of ${among.length})`;
}

function sized(isFull) {
  dialog.classList.toggle("full", isFull);
  size.textContent = isFull ? "Fit to window" : "Full size";
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("a.zoom");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  among = all("a.zoom", link.closest(".pictures") ?? document).filter((a) => a.checkVisibility());
  if (!dialog.isConnected) document.body.append(dialog);
  sized(false);
  show(among.indexOf(link));
  before.hidden = after.hidden = among.length < 2;
  dialog.showModal();
  frame.focus();
});
before.addEventListener("click", () => show(shown - 1));
after.addEventListener("click", () => show(shown + 1));
size.addEventListener("click", () => sized(!dialog.classList.contains("full")));
close.addEventListener("click", () => dialog.close());
dialog.addEventListener("keydown", (event) => {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  const scrolls = event.target === frame && frame.scrollWidth > frame.clientWidth;
  if (step && !scrolls) { event.preventDefault(); show(shown + step); }
});
dialog.addEventListener("close", () => among[shown].focus());

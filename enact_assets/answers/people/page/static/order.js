"use strict";
// The form holds the answer. This script moves cards to where their lists say, and sets the lists.

const find = (css, within = document) => within.querySelector(css);
const all = (css, within = document) => [...within.querySelectorAll(css)];
const form = find("#form");
const pool = find(".pool");
const places = all(".place");
const cards = all(".board .card");
const past = [];
const options = all(".options input");
const key = `annotation ${form.dataset.draft}`;
let marked = 1;
let isDragging = false;

const list = (card) => find("select", card);
const put = (card) => find(".put", card);
const nameOf = (card) => card.getAttribute("aria-label");
const order = () => cards.map((card) => list(card).value);
const chosen = () => options.map((option) => (option.checked ? "x" : ""));
const cardIn = (place) => cards.find((card) => list(card).value === String(place));
const say = (text) => { find("#said").textContent = text; };

// --- What is seen follows from the lists. ---
function show() {
  const focused = document.activeElement;
  for (const card of cards) {
    const home = list(card).value ? places[list(card).value - 1] : pool;
    if (card.parentElement !== home) home.append(card);
  }
  pool.dataset.n = all(".card", pool).length;
  if (!marked || cardIn(marked)) marked = places.findIndex((_, k) => !cardIn(k + 1)) + 1;
  places.forEach((place, k) => {
    place.classList.toggle("marked", k + 1 === marked);
    find(".mark", place).setAttribute("aria-pressed", String(k + 1 === marked));
  });
  find("#undo").disabled = !past.length;
  if (focused?.closest(".card")) focused.focus({ preventScroll: true }); // lost when a card moves
  keepDraft();
}

function set(values) {
  cards.forEach((card, k) => { list(card).value = values[k]; });
  show();
}

// A card that is in the place already goes to where this one comes from.
function move(card, place, before = order()) {
  const from = before[cards.indexOf(card)];
  if (from === String(place)) { set(before); return; }
  const other = place && cards.find((each, k) => each !== card && before[k] === String(place));
  past.push(before);
  list(card).value = place;
  if (other) list(other).value = from;
  show();
  const where = (to) => (to ? `in place ${to}` : "taken out");
  const swapped = other ? `, ${nameOf(other)} ${where(from)}` : "";
  const n = order().filter(Boolean).length;
  say(`${nameOf(card)} ${where(place)}${swapped}. ${n} of ${cards.length} placed.`);
}

function place(card, to) {
  if (!to) { say("Every place is taken: press a number to swap."); return; }
  const isNew = !list(card).value;
  move(card, to);
  const next = find(".card", pool);
  if (isNew && next) put(next).focus({ preventScroll: true });
  if (marked) places[marked - 1].closest("li").scrollIntoView({ block: "nearest" });
}

function undo() {
  if (!past.length) return;
  set(past.pop());
  say("Undone.");
}

// --- Keys. Single keys act on the name of a card alone (WCAG 2.1.4). ---
function pressed(event) {
  const isControl = event.ctrlKey || event.metaKey;
  const name = event.key.toLowerCase();
  if (find("#large").open) {
    if (name === "arrowright") turn(1);
    else if (name === "arrowleft") turn(-1);
    else return;
  } else if (isControl && name === "z" && !event.target.matches("textarea")) undo();
  else if (isControl && name === "enter") find("footer .main").click();
  else if (!isControl && !event.altKey && event.target.matches(".options input") && options[name - 1]) {
    options[name - 1].focus(); // from where arrows go on
    options[name - 1].click();
  } else if (isControl || event.altKey || !event.target.matches(".put")) return;
  else if (!onCard(event.target.closest(".card"), name, event)) return;
  event.preventDefault();
}

function onCard(card, name, event) {
  const number = /^[1-9]$/.test(name) ? Number(name) : 0;
  const step = { arrowright: 1, arrowdown: 1, arrowleft: -1, arrowup: -1 }[name];
  const from = Number(list(card).value);
  if (number && number <= places.length) place(card, number);
  else if (name === "backspace" || name === "delete") move(card, "");
  else if (name === "z") find(".zoom", card)?.click();
  else if (step && event.shiftKey) {
    if (from && places[from - 1 + step]) move(card, from + step);
  } else if (step) {
    const names = all(".put");
    names[(names.indexOf(event.target) + step + names.length) % names.length].focus();
  } else return false;
  return true;
}

// --- Dragging: by mouse anywhere on a card; by touch at its name, so that the page still scrolls. ---
function grabbed(event) {
  const card = event.currentTarget;
  const isMine = (other) => other.pointerId === event.pointerId;
  if (event.button || event.target.closest("select")) return;
  if (event.pointerType !== "mouse" && !event.target.closest(".put")) return;
  let copy = null;
  let over = null;
  const moved = (now) => {
    if (!isMine(now)) return;
    const way = Math.hypot(now.clientX - event.clientX, now.clientY - event.clientY);
    if (!copy && way < 6) return;
    if (!copy) {
      copy = card.cloneNode(true);
      copy.classList.add("lifted");
      copy.inert = isDragging = true;
      document.body.append(copy); // outside the form, or its list would be sent too
    }
    copy.style.left = `${now.clientX - 80}px`;
    copy.style.top = `${now.clientY - 20}px`;
    over = document.elementFromPoint(now.clientX, now.clientY)?.closest(".place, .pool");
    if (now.clientY < 60) scrollBy(0, -12);
    else if (now.clientY > innerHeight - 110) scrollBy(0, 12);
  };
  const ended = (now) => {
    if (!isMine(now)) return;
    for (const [kind, heard] of heards) removeEventListener(kind, heard);
    copy?.remove();
    if (copy && over && now.type === "pointerup") move(card, over.dataset.place || "");
    setTimeout(() => { isDragging = false; }); // after the click that ends a drag
  };
  const heards = [["pointermove", moved], ["pointerup", ended], ["pointercancel", ended]];
  for (const [kind, heard] of heards) addEventListener(kind, heard);
}

// --- Large pictures: one after the other, to compare them. ---
const zooms = all(".zoom");
let large = 0;

function turn(step) {
  large = (large + step + zooms.length) % zooms.length;
  const image = find("img", zooms[large]);
  Object.assign(find("#large img"), { src: zooms[large].href, alt: image.alt });
  find("#large-name").textContent = image.alt;
}

function zoom(event) {
  event.preventDefault();
  if (isDragging) return;
  large = zooms.indexOf(event.currentTarget);
  turn(0);
  find("#large").showModal();
}

// --- Films: one at a time. ---
const films = all("video");
for (const film of films) {
  film.addEventListener("play", () => films.forEach((each) => { if (each !== film) each.pause(); }));
}

// --- The time in sight, without pauses of more than two minutes. ---
let active = Number(form.elements.active_ms.value) || 0;
let last = performance.now();

function tick() {
  const now = performance.now();
  if (!document.hidden && now - last < 120000) active += now - last;
  last = now;
}

// --- Drafts: an answer that was not saved is there again on this device. ---
function keepDraft() {
  const values = cards.length ? order() : chosen();
  try { localStorage.setItem(key, JSON.stringify(values)); } catch { /* no storage, no draft */ }
}

function draft() {
  try {
    const kept = JSON.parse(localStorage.getItem(key));
    return Array.isArray(kept) && kept.length === (cards.length || options.length) ? kept : null;
  } catch { return null; }
}

function sent(event) {
  tick();
  form.elements.active_ms.value = Math.round(active);
  const absent = cards.filter((card) => !list(card).value);
  if (event.submitter?.value === "answer" && absent.length) {
    event.preventDefault();
    find("#problem").textContent = `Not placed yet: ${absent.map(nameOf).join(", ")}.`;
    find("#problem").focus();
    return;
  }
  try { localStorage.removeItem(key); } catch { /* no storage */ }
}

document.body.classList.add("script");
for (const card of cards) {
  let before = order();
  put(card).addEventListener("click", () => {
    if (isDragging) return;
    if (list(card).value) move(card, "");
    else place(card, marked);
  });
  list(card).addEventListener("focus", () => { before = order(); });
  list(card).addEventListener("change", () => { move(card, list(card).value, before); before = order(); });
  card.addEventListener("pointerdown", grabbed);
  card.addEventListener("dragstart", (event) => event.preventDefault());
}
places.forEach((each, k) => find(".mark", each).addEventListener("click", () => {
  marked = k + 1;
  show();
  say(`Place ${marked} is next.`);
}));
for (const each of zooms) each.addEventListener("click", zoom);
find("#earlier").addEventListener("click", () => turn(-1));
find("#later").addEventListener("click", () => turn(1));
find("#bigger").addEventListener("click", (event) => {
  event.currentTarget.setAttribute("aria-pressed", String(find("#large").classList.toggle("bigger")));
});
find("#close").addEventListener("click", () => find("#large").close());
find("#undo").addEventListener("click", undo);
document.addEventListener("keydown", pressed);
form.addEventListener("submit", sent);
document.addEventListener("visibilitychange", () => {
  if (document.hidden) { last = Math.min(last, performance.now()); } else last = performance.now();
});
for (const kind of ["pointermove", "pointerdown", "keydown", "scroll"]) {
  addEventListener(kind, tick, { passive: true });
}
if (cards.length) {
  const kept = draft();
  if (kept && !order().some(Boolean)) set(kept);
  else show();
} else {
  find("#undo").hidden = true;
  for (const option of options) option.addEventListener("change", keepDraft);
  const kept = draft();
  if (kept && !chosen().some(Boolean)) options.forEach((option, k) => { option.checked = Boolean(kept[k]); });
}
if (find("#problem").textContent) find("#problem").focus();

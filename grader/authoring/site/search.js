// Search in the pages: looks through SEARCH_INDEX, which index.js sets. Fetches nothing.
"use strict";

const MOST = 12; // results shown
const AROUND = 70; // characters of text before and after a hit

// Lower case, with one kind of apostrophe. As long as the text, so that positions agree: İ is the
// one letter whose lower case is longer.
function folded(text) {
  return text.replaceAll("’", "'").replaceAll("İ", "i").toLowerCase();
}

function wordsOf(query) {
  return folded(query).split(/\s+/).filter(Boolean);
}

// How well an entry answers one word: 0 if it lacks it.
function weight(entry, word) {
  const [id, title, text] = [entry.exercise, entry.title, entry.text].map(folded);
  if (id === word) return 1000;
  if (id.startsWith(word)) return 100;
  if (new RegExp(`(^|[^\\p{L}\\p{N}])${escaped(word)}`, "u").test(title)) return 60;
  if (id.includes(word) || title.includes(word)) return 40;
  const hits = text.split(word).length - 1;
  return hits ? 10 + Math.min(hits, 9) : Number(folded(entry.chapter).includes(word));
}

function escaped(word) {
  return word.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}

// The entries that have every word of a query, the best first.
function search(index, query, most = MOST) {
  const words = wordsOf(query);
  if (!words.length) return [];
  return index
    .map((entry) => {
      const weights = words.map((word) => weight(entry, word));
      return { entry, weight: weights.includes(0) ? 0 : weights.reduce((a, b) => a + b) };
    })
    .filter((found) => found.weight)
    .sort((a, b) => b.weight - a.weight)
    .slice(0, most)
    .map((found) => found.entry);
}

// The text around its first hit, in pieces: those with `hit` are words of the query.
function excerpt(text, query) {
  const [words, low] = [wordsOf(query), folded(text)];
  const starts = words.map((word) => low.indexOf(word)).filter((start) => start >= 0);
  const first = starts.length ? Math.min(...starts) : 0;
  const from = first <= AROUND ? 0 : text.indexOf(" ", first - AROUND) + 1;
  const to = from + 2 * AROUND >= text.length ? text.length : text.lastIndexOf(" ", from + 2 * AROUND);
  return pieces(text.slice(Math.min(from, first), Math.max(to, first + 1)), words);
}

// A text cut where words of the query begin and end.
function pieces(text, words) {
  if (!words.length) return [{ text, hit: false }];
  const longestFirst = [...words].sort((a, b) => b.length - a.length).map(escaped);
  const cuts = folded(text).split(new RegExp(`(${longestFirst.join("|")})`, "u"));
  let at = 0;
  return cuts
    .map((cut, number) => ({ text: text.slice(at, (at += cut.length)), hit: number % 2 === 1 }))
    .filter((piece) => piece.text);
}

// An element with text, or with pieces of which hits are marked.
function element(tag, className, content) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  for (const piece of typeof content === "string" ? [{ text: content, hit: false }] : content) {
    made.append(piece.hit ? element("mark", "", piece.text) : piece.text);
  }
  return made;
}

function result(entry, query) {
  const words = wordsOf(query);
  const link = element("a", "", "");
  link.href = entry.link;
  const title = element("span", "found", pieces(entry.title, words));
  if (entry.exercise) title.append(" ", element("code", "", pieces(entry.exercise, words)));
  link.append(title);
  if (entry.title !== entry.chapter) link.append(element("small", "", entry.chapter));
  if (entry.text) link.append(element("span", "excerpt", excerpt(entry.text, query)));
  const item = document.createElement("li");
  item.append(link);
  return item;
}

function start(box) {
  const [input, list] = [box.querySelector("input"), box.querySelector("ol")];
  const [panel, count] = [box.querySelector(".results"), box.querySelector("[role=status]")];
  const links = () => [...list.querySelectorAll("a")];
  const close = () => (panel.hidden = true);

  function show() {
    const query = input.value;
    const found = search(SEARCH_INDEX, query);
    list.replaceChildren(...found.map((entry) => result(entry, query)));
    panel.hidden = !wordsOf(query).length;
    const many = found.length === MOST ? `The best ${MOST} results` : `${found.length} results`;
    count.textContent = found.length === 1 ? "1 result" : found.length ? many : "Nothing found";
  }

  // Focus on the result before or after the one that has it; before the first is the box.
  function move(step) {
    const all = links();
    const next = all.indexOf(document.activeElement) + step;
    if (next < 0) input.focus();
    else all[Math.min(next, all.length - 1)]?.focus();
  }

  input.addEventListener("input", show);
  input.addEventListener("focus", () => panel.hidden && show());
  list.addEventListener("click", close);
  box.addEventListener("focusout", (event) => {
    // Without a related target the window lost focus, or a link is about to be clicked.
    if (event.relatedTarget && !box.contains(event.relatedTarget)) close();
  });
  box.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      move(event.key === "ArrowDown" ? 1 : -1);
    } else if (event.key === "Enter" && event.target === input) {
      links()[0]?.click();
    } else if (event.key === "Escape") {
      if (input.value) input.focus();
      else input.blur();
      input.value = "";
      close();
    } else return;
    event.preventDefault();
  });
  document.addEventListener("click", (event) => box.contains(event.target) || close());
  document.addEventListener("keydown", (event) => {
    const busy = event.ctrlKey || event.metaKey || event.altKey;
    if (event.key !== "/" || busy || event.target.closest("input, select, textarea")) return;
    event.preventDefault();
    input.focus();
    input.select();
  });
  box.hidden = false;
}

if (typeof document !== "undefined") start(document.getElementById("search"));
if (typeof module !== "undefined") module.exports = { search, excerpt };

// Formulas whose numbers can be changed: FORMULAS, which computed.js sets, has a function for each.
"use strict";

// A number as the text shows it; `shown` of formulas.py does the same.
function shown(number) {
  if (!Number.isFinite(number)) return "–";
  if (Number.isInteger(number) && Math.abs(number) < 1e12) return number.toLocaleString("en");
  const rounded = Number(number.toPrecision(5));
  if (Math.abs(number) >= 1e-3 && Math.abs(number) < 1e6) {
    return rounded.toLocaleString("en", { maximumSignificantDigits: 5 });
  }
  return rounded.toExponential().replace("+", "");
}

// What is typed, as a number; NaN unless it is one from 0 on.
function typed(text) {
  const number = text.trim() ? Number(text.replaceAll(",", "")) : NaN;
  return number >= 0 && number < Infinity ? number : NaN;
}

// Boxes in place of the given numbers of a table, and outputs in place of the results.
function bring(formula) {
  const [compute, inputs, outputs] = [FORMULAS[formula.dataset.formula], {}, {}];
  for (const row of formula.querySelectorAll("tbody tr")) {
    const [name, value, unit, what] = row.cells;
    const result = what.querySelector("code");
    const box = document.createElement(result ? "output" : "input");
    box.value = value.textContent;
    (result ? outputs : inputs)[name.textContent] = box;
    if (!result) {
      Object.assign(box, { defaultValue: box.value, inputMode: "decimal", autocomplete: "off" });
      const label = [name, what, unit].map((cell) => cell.textContent).filter(Boolean).join(", ");
      box.setAttribute("aria-label", label);
    }
    value.replaceChildren(box);
  }
  const again = document.createElement("button");
  again.textContent = "The example’s numbers";
  again.hidden = true;
  formula.append(again);

  function update() {
    const values = Object.entries(inputs).map(([name, box]) => [name, typed(box.value)]);
    for (const [name, number] of values) {
      inputs[name].setAttribute("aria-invalid", String(Number.isNaN(number)));
    }
    const results = compute(Object.fromEntries(values));
    for (const [name, box] of Object.entries(outputs)) box.value = shown(results[name]);
    again.hidden = Object.values(inputs).every((box) => box.value === box.defaultValue);
  }
  formula.addEventListener("input", update);
  again.addEventListener("click", () => {
    for (const box of Object.values(inputs)) box.value = box.defaultValue;
    update();
    Object.values(inputs)[0].focus();
  });
  update();
}

if (typeof document !== "undefined") document.querySelectorAll("[data-formula]").forEach(bring);

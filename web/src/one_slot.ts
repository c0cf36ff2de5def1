// The view of one slot.

import { App, View } from "./app";
import { button, h } from "./dom";
import { departing, Frame, frames, matchingPairs } from "./frames";
import { draw, waiting } from "./picture";
import { About, failed, Pair, Slot } from "./protocol";
import * as simulator from "./simulator";
import { MOST_SLOT, request } from "./state";
import { statePanel, tablePanel } from "./tables";

const PERIOD = 1100;

export class OneSlot implements View {
  readonly element = h("section", { class: "view one-slot", "aria-label": "One slot" });
  private readonly stage = h("div", { class: "stage", tabindex: 0, role: "group" });
  private readonly heading = h("h2", { class: "step-title" });
  private readonly words = h("p", { class: "step-text", "aria-live": "polite" });
  private readonly list = h("ol", { class: "steps" });
  private readonly inside = h("div", { class: "inside" });
  private readonly guessing = h("div", { class: "guessing" });
  private readonly slotInput = h("input", { type: "number", min: 0, max: MOST_SLOT, "aria-label": "Slot" });
  private readonly play = button("Play", "Play", () => this.toggle(), { class: "play" });
  private readonly motion: HTMLElement;
  private slot: Slot | null = null;
  private about: About | null = null;
  private frames: Frame[] = [];
  private asked = "";
  private number = 0;
  private focus: Pair = { input: 0, output: 0 };
  private guess: Pair[] = [];
  private revealed = false;
  private timer = 0;

  constructor(private readonly app: App) {
    this.motion = h("div", { class: "transport", role: "toolbar", "aria-label": "Steps and slots" },
      button("⇤", "Slot back", () => this.turn(-1)), button("←", "Step back", () => this.move(-1)),
      this.play,
      button("→", "Step forth", () => this.move(1)), button("⇥", "Slot forth", () => this.turn(1)),
      h("span", { class: "slot-number" }, "Slot ", this.slotInput));
    this.slotInput.addEventListener("change", () => {
      const wanted = Math.round(Number(this.slotInput.value));
      if (wanted >= 0 && wanted <= MOST_SLOT) app.set({ slot: wanted, step: 0 });
      else app.say(`A slot here is a number from 0 to ${MOST_SLOT}.`);
    });
    this.stage.addEventListener("click", event => this.click(event));
    const hint = h("p", { class: "hint keys" },
      "A square is a VOQ, and the number in a cell is its arrival slot. Keys: ← → steps, Shift with ← → slots, space plays. With the picture focused the arrows move over the VOQs, " +
      "and Enter adds a cell to one.");
    this.element.append(
      h("div", { class: "main" }, this.motion, h("div", { class: "said" }, this.heading, this.words), this.guessing, this.stage, hint),
      h("div", { class: "beside" }, h("h2", {}, "Steps of this slot"), this.list, this.inside));
  }

  async show(): Promise<void> {
    const { state, file } = this.app;
    const text = request(state, state.switches[0] as string, file);
    this.slotInput.value = String(state.slot);
    const key = `${state.slot} ${text}`;
    if (key !== this.asked) {
      this.asked = key;
      this.guess = [];
      this.revealed = state.step > 0;
      const answer = await simulator.slot(text, state.slot);
      if (key !== this.asked) return;
      if (failed(answer)) {
        this.stop();
        this.asked = "";
        this.app.say(answer.error);
        this.slot = null;
        this.stage.replaceChildren();
        this.list.replaceChildren();
        this.inside.replaceChildren();
        this.guessing.replaceChildren();
        this.heading.textContent = "No slot to show";
        this.words.textContent = "Change the settings, or go back some slots.";
        return;
      }
      this.slot = answer.slot;
      this.about = answer.about;
      this.app.rates = answer.about.rates;
      this.app.ratesKnown();
      this.frames = frames(answer.slot);
      this.number += 1;
    }
    if (this.slot) this.draw();
  }

  hide(): void {
    this.stop();
  }

  picture(): SVGElement | null {
    return this.stage.querySelector("svg");
  }

  /** Whether the decision is hidden until the viewer has guessed. */
  private hidden(): boolean {
    return this.app.state.predict && !this.revealed;
  }

  private draw(): void {
    const slot = this.slot as Slot;
    performance.mark("draw");
    const step = this.hidden() ? 0 : Math.min(this.app.state.step, this.frames.length - 1);
    const frame = this.frames[step] as Frame;
    const focused = document.activeElement === this.stage;
    const guess = this.app.state.predict && this.guess.length > 0 ? this.guess : null;
    const before = this.picture();
    const svg = draw({ slot, frame, guess, focus: focused ? this.focus : null }, before);
    if (svg !== before) this.stage.replaceChildren(svg);
    this.stage.setAttribute("aria-label",
      `Picture of slot ${slot.slot}. Arrow keys move over the VOQs, Enter ${this.hidden() ? "guesses a pair" : "adds a cell"}.`);
    this.heading.textContent = `Slot ${slot.slot}: ${frame.title}`;
    this.words.textContent = this.hidden()
      ? `${frame.text} Which pairs will ${this.about?.name} match? Click their VOQs, then reveal the decision.` : frame.text;
    this.drawList(step);
    this.guessing.replaceChildren(...this.guessPanel());
    if (this.element.dataset.tables !== String(this.number)) {
      this.element.dataset.tables = String(this.number);
      const open = this.inside.querySelector("details")?.open ?? false;
      this.inside.replaceChildren(...statePanel(slot, this.about), tablePanel(slot, open));
    }
    performance.measure("draw", "draw");
    this.element.dataset.drawn = `${slot.slot}.${step}`;
  }

  /** The steps as buttons. They are made once for a slot. */
  private drawList(step: number): void {
    const mark = `${this.number} ${this.hidden()}`;
    if (this.list.dataset.of !== mark) {
      this.list.dataset.of = mark;
      this.list.replaceChildren(...(this.hidden() ? [] : this.frames.map((frame, index) => {
        const go = h("button", { type: "button", class: `step ${frame.kind}` }, h("b", {}, frame.title), " ", h("span", {}, frame.text));
        go.addEventListener("click", () => this.app.set({ step: index }));
        return h("li", {}, go);
      })));
    }
    this.list.querySelectorAll("button").forEach((go, index) => {
      if (index === step) go.setAttribute("aria-current", "step");
      else go.removeAttribute("aria-current");
    });
  }

  /** What the switch has decided: its matching, or what departs. */
  private decided(): Pair[] {
    const slot = this.slot as Slot;
    return slot.matching ? matchingPairs(slot.matching) : departing(slot);
  }

  private guessPanel(): Node[] {
    if (!this.app.state.predict) return [];
    const has = (list: Pair[], pair: Pair) => list.some(other => other.input === pair.input && other.output === pair.output);
    if (this.hidden()) {
      const text = this.guess.length === 0 ? "No pair guessed yet."
        : `Guessed: ${this.guess.map(pair => `${pair.input}→${pair.output}`).join(", ")}.`;
      return [h("p", {}, text), button("Reveal the decision", "Reveal the decision", () => {
        this.revealed = true;
        this.app.set({ step: this.frames.findIndex(frame => frame.kind === "matching" || frame.kind === "departures") });
      }, { class: "primary" })];
    }
    const decided = this.decided();
    const right = this.guess.filter(pair => has(decided, pair)).length;
    const text = this.guess.length === 0 ? `The switch matched ${decided.length} pairs.`
      : `${right} of ${this.guess.length} guessed pairs are among the ${decided.length} that were matched.`;
    return [h("p", { role: "status" }, text), button("Next slot", "Guess the next slot", () => this.turn(1), { class: "primary" })];
  }

  private move(by: number): void {
    const { step, slot } = this.app.state;
    if (!this.slot || this.hidden()) return;
    const next = Math.min(step, this.frames.length - 1) + by;
    if (next >= this.frames.length) this.turn(1);
    else if (next >= 0) this.app.set({ step: next });
    else if (slot > 0) this.app.set({ slot: slot - 1, step: 9999 });
  }

  private turn(by: number): void {
    const slot = this.app.state.slot + by;
    if (slot >= 0 && slot <= MOST_SLOT) this.app.set({ slot, step: 0 });
  }

  private toggle(): void {
    if (this.timer) return this.stop();
    this.timer = window.setInterval(() => this.move(1), PERIOD);
    this.play.textContent = "Pause";
  }

  private stop(): void {
    clearInterval(this.timer);
    this.timer = 0;
    this.play.textContent = "Play";
  }

  private click(event: MouseEvent): void {
    const square = (event.target as Element).closest<SVGElement>("[data-input]");
    if (!square) return;
    this.focus = { input: Number(square.dataset.input), output: Number(square.dataset.output) };
    this.choose();
  }

  /** Guesses the pair at the focus, or adds a cell to its VOQ. */
  private choose(): void {
    const { input, output } = this.focus;
    const { state } = this.app;
    if (this.hidden()) {
      const same = this.guess.some(pair => pair.input === input && pair.output === output);
      this.guess = this.guess.filter(pair => pair.input !== input && pair.output !== output);
      if (!same) this.guess.push({ input, output });
      this.draw();
      return;
    }
    const others = state.added.filter(cell => cell.slot !== state.slot || cell.input !== input);
    if (others.length >= 256) return this.app.say("At most 256 cells can be added.");
    this.app.set({ added: [...others, { slot: state.slot, input, output }], step: 0 });
  }

  key(event: KeyboardEvent): boolean {
    const arrows: Record<string, [number, number]> = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    const arrow = arrows[event.key];
    if (document.activeElement === this.stage && this.slot && (arrow || event.key === "Enter") && !event.shiftKey) {
      const ports = this.slot.arrivals.length;
      if (arrow) {
        this.focus = { input: (this.focus.input + arrow[0] + ports) % ports, output: (this.focus.output + arrow[1] + ports) % ports };
        this.draw();
        const length = waiting(this.slot)[this.focus.input * ports + this.focus.output] ?? 0;
        this.words.textContent = `VOQ ${this.focus.input}→${this.focus.output}, ${length} ${length === 1 ? "cell" : "cells"}.`;
      } else this.choose();
      return true;
    }
    if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
      const by = event.key === "ArrowRight" ? 1 : -1;
      if (event.shiftKey) this.turn(by);
      else this.move(by);
      return true;
    }
    if (event.key === " ") {
      this.toggle();
      return true;
    }
    return false;
  }
}

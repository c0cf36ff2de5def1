// Stories: guided tours over the same views.

import { App, View } from "./app";
import { button, h } from "./dom";
import { initial, parse, State } from "./state";
import { STORIES, Story } from "./stories";

const find = (id: string): Story | undefined => STORIES.find(story => story.id === id);

/** The state of a step of a story. */
export function stateOf(story: Story, at: number): State {
  const step = story.steps[at];
  const { state } = parse(step?.link ?? "");
  return { ...state, story: story.id, at };
}

/** A link that names a story alone begins it. */
export function enter(state: State): State {
  if (state.story === "" || state.view !== "stories") return state;
  const story = find(state.story);
  return story ? stateOf(story, Math.min(state.at, story.steps.length - 1)) : { ...state, story: "" };
}

/** The list of stories. */
export class Stories implements View {
  readonly element = h("section", { class: "view stories", "aria-label": "Stories" });

  constructor(app: App) {
    this.element.append(h("h2", { class: "step-title" }, "Stories"), h("p", { class: "step-text" },
      "Lessons of the field, each in about ten steps. Every step is a picture of the simulator that one can change."),
      h("ul", { class: "story-list" }, ...STORIES.map(story => h("li", {},
        button(story.title, `Begin: ${story.title}`, () => app.set(stateOf(story, 0))), h("p", {}, story.about)))));
  }

  show(): void {
    this.element.dataset.drawn = "stories";
  }

  hide(): void {}

  picture(): SVGElement | null {
    return null;
  }

  key(): boolean {
    return false;
  }
}

/** The text of the current step, above the view; nothing if no story is told. */
export function storyBar(app: App): Node[] {
  const story = find(app.state.story);
  const { at } = app.state;
  const step = story?.steps[at];
  if (!story || !step) return [];
  const go = (to: number) => {
    app.say();
    app.set(stateOf(story, to));
    document.getElementById(to > at ? "story-next" : "story-back")?.focus();
  };
  const back = button("Back", "The step before", () => go(at - 1), { id: "story-back" });
  const next = button(at + 1 < story.steps.length ? "Next" : "All stories", "The next step", () => {
    if (at + 1 < story.steps.length) go(at + 1);
    else app.set({ ...initial, view: "stories" });
  }, { class: "primary", id: "story-next" });
  back.disabled = at === 0;
  return [h("section", { class: "story", "aria-label": "Story" },
    h("div", { class: "story-text" }, h("h2", {}, `${story.title} · ${at + 1} of ${story.steps.length}`), h("p", { role: "status" }, step.text)),
    h("div", { class: "buttons" }, back, next, button("Leave", "Leave the story and stay here", () => app.set({ story: "", at: 0 }))))];
}

// What the views share: the state, the file that was dropped, messages.

import { Catalogue } from "./protocol";
import { format, State } from "./state";

export class App {
  /** The rates of the traffic that is shown, if they are known. */
  rates: number[] | undefined;
  /** Called when the rates are known. */
  ratesKnown: () => void = () => {};
  /** The text of a matrix or trace that was dropped onto the page. */
  file = "";
  private readonly listeners: (() => void)[] = [];

  constructor(public state: State, readonly catalogue: Catalogue, private readonly alert: HTMLElement) {}

  /** Changes what is seen, and the address. */
  set(change: Partial<State>): void {
    this.state = { ...this.state, ...change };
    this.write();
    for (const listener of this.listeners) listener();
  }

  /** Changes the address alone: the view has drawn it already. */
  note(change: Partial<State>): void {
    this.state = { ...this.state, ...change };
    this.write();
  }

  private write(): void {
    history.replaceState(null, "", format(this.state));
  }

  changed(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** Shows messages; none removes them. */
  say(...messages: string[]): void {
    this.alert.textContent = messages.join(" ");
    this.alert.hidden = messages.length === 0;
  }
}

/** A view of the page. */
export interface View {
  readonly element: HTMLElement;
  show(): void;
  hide(): void;
  key(event: KeyboardEvent): boolean;
  /** The current picture, for export. */
  picture(): SVGElement | null;
}

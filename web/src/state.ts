// Everything that is seen, as the fragment of the address.

export const VIEWS = ["slot", "race", "curve", "life", "stories"] as const;
export type View = (typeof VIEWS)[number];

export interface State {
  view: View;
  /** One switch, or the two to four of a race. */
  switches: string[];
  ports: number;
  traffic: string;
  arrivals: string;
  load: number;
  seed: string;
  slot: number;
  /** The step of the slot that is shown. */
  step: number;
  /** Cells that the viewer has added. */
  added: { slot: number; input: number; output: number }[];
  predict: boolean;
  /** The cell whose life is told, by its arrival slot and input. */
  cell: { slot: number; input: number } | null;
  /** Rates that the viewer has set, by input and output; empty for those of the traffic. */
  rates: number[];
  /** The story that is told, and which of its steps. */
  story: string;
  at: number;
}

export const MOST_PORTS = 64;
export const MOST_SLOT = 200_000;
/** The most ports of a load matrix that is edited. */
export const MOST_EDITED = 8;
const MOST_ADDED = 256;
const MOST_TEXT = 300;

export const initial: State = {
  view: "slot",
  switches: ["islip"],
  ports: 4,
  traffic: "uniform",
  arrivals: "bernoulli",
  load: 0.9,
  seed: "1",
  slot: 20,
  step: 0,
  added: [],
  predict: false,
  cell: null,
  rates: [],
  story: "",
  at: 0,
};

/** The loads of a curve, and how it is measured. */
export const LOADS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99];
export const CURVE = { slots: 20000, warmup: 4000, replications: 5 };

export const RACE = ["oq", "islip", "pim", "mwm"];

/** What a whole number from `least` to `most` is written as, or null. */
function whole(text: string, least: number, most: number): number | null {
  if (!/^\d{1,10}$/.test(text)) return null;
  const number = Number(text);
  return number >= least && number <= most ? number : null;
}

/** Reads a fragment. What cannot be read stays as it is initially, and is said. */
export function parse(fragment: string): { state: State; problems: string[] } {
  const state: State = { ...initial };
  const problems: string[] = [];
  const refuse = (key: string, value: string, what: string) =>
    problems.push(`The link says ${key}=${value.slice(0, 40)}, which is not ${what}.`);
  const text = (key: string, value: string, use: (value: string) => void) => {
    if (value.length > 0 && value.length <= MOST_TEXT && !/[\u0000-\u001f]/.test(value)) use(value);
    else refuse(key, value, `a text of 1 to ${MOST_TEXT} characters`);
  };
  const number = (key: string, value: string, least: number, most: number, use: (value: number) => void) => {
    const read = whole(value, least, most);
    if (read === null) refuse(key, value, `a whole number from ${least} to ${most}`);
    else use(read);
  };
  const switches: string[] = [];
  for (const [key, value] of new URLSearchParams(fragment.replace(/^#/, ""))) {
    switch (key) {
      case "view":
        if ((VIEWS as readonly string[]).includes(value)) state.view = value as View;
        else refuse(key, value, `one of ${VIEWS.join(", ")}`);
        break;
      case "switch":
        if (switches.length < 4) text(key, value, spec => switches.push(spec));
        else problems.push("The link names more than four switches.");
        break;
      case "ports": number(key, value, 2, MOST_PORTS, ports => (state.ports = ports)); break;
      case "slot": number(key, value, 0, MOST_SLOT, slot => (state.slot = slot)); break;
      case "step": number(key, value, 0, 9999, step => (state.step = step)); break;
      case "traffic": text(key, value, traffic => (state.traffic = traffic)); break;
      case "arrivals": text(key, value, arrivals => (state.arrivals = arrivals)); break;
      case "predict": state.predict = value === "1"; break;
      case "load": {
        const load = /^\d*\.?\d+$/.test(value) ? Number(value) : NaN;
        if (load >= 0 && load <= 1) state.load = load;
        else refuse(key, value, "a load from 0 to 1");
        break;
      }
      case "seed":
        if (/^\d{1,20}$/.test(value) && BigInt(value) < 1n << 64n) state.seed = value;
        else refuse(key, value, "a whole number below 2^64");
        break;
      case "add": {
        const cells = value.split(" ").filter(word => word !== "").map(word => /^(\d{1,6})\.(\d{1,2})\.(\d{1,2})$/.exec(word));
        if (cells.length <= MOST_ADDED && cells.every(cell => cell !== null)) {
          state.added = cells.map(cell => ({ slot: Number(cell[1]), input: Number(cell[2]), output: Number(cell[3]) }));
        } else refuse(key, value, `a list of at most ${MOST_ADDED} cells, slot.input.output`);
        break;
      }
      case "cell": {
        const cell = /^(\d{1,6})\.(\d{1,2})$/.exec(value);
        if (cell && Number(cell[1]) <= MOST_SLOT) state.cell = { slot: Number(cell[1]), input: Number(cell[2]) };
        else refuse(key, value, "slot.input of a cell");
        break;
      }
      case "rates": {
        const rates = value.split(" ").map(word => (/^\d*\.?\d+$/.test(word) ? Number(word) : NaN));
        if (rates.length <= MOST_EDITED ** 2 && rates.every(rate => rate >= 0 && rate <= 1)) state.rates = rates;
        else refuse(key, value, `a list of rates from 0 to 1 for at most ${MOST_EDITED} ports`);
        break;
      }
      case "story":
        if (/^[a-z0-9-]{1,40}$/.test(value)) state.story = value;
        else refuse(key, value, "the name of a story");
        break;
      case "at": number(key, value, 0, 99, at => (state.at = at)); break;
      default: problems.push(`The link has a key ${key.slice(0, 40)}, which is not known here.`);
    }
  }
  if (switches.length > 0) state.switches = switches;
  else if (state.view === "race") state.switches = RACE;
  if (state.cell && state.cell.input >= state.ports) {
    state.cell = null;
    problems.push(`The link names a cell of an input that a switch of ${state.ports} ports does not have.`);
  }
  if (state.rates.length > 0 && state.rates.length !== state.ports ** 2) {
    state.rates = [];
    problems.push(`The link has rates, but not one for each input and output of ${state.ports} ports.`);
  }
  if (state.added.some(cell => Math.max(cell.input, cell.output) >= state.ports)) {
    state.added = [];
    problems.push(`The link adds a cell to a port that a switch of ${state.ports} ports does not have.`);
  }
  return { state, problems: problems.slice(0, 5) };
}

/** The fragment of a state. Adds only what differs from the initial state. */
export function format(state: State): string {
  const query = new URLSearchParams();
  const add = (key: string, value: string, usual: string) => {
    if (value !== usual) query.append(key, value);
  };
  add("view", state.view, initial.view);
  for (const spec of state.switches) query.append("switch", spec);
  add("ports", String(state.ports), "");
  add("traffic", state.traffic, initial.traffic);
  add("arrivals", state.arrivals, initial.arrivals);
  add("load", String(state.load), "");
  add("seed", state.seed, "");
  add("slot", String(state.slot), "");
  add("step", String(state.step), "0");
  add("add", state.added.map(cell => `${cell.slot}.${cell.input}.${cell.output}`).join(" "), "");
  add("cell", state.cell ? `${state.cell.slot}.${state.cell.input}` : "", "");
  add("rates", state.rates.join(" "), "");
  add("story", state.story, "");
  add("at", state.story ? String(state.at) : "0", "0");
  add("predict", state.predict ? "1" : "", "");
  return `#${query.toString()}`;
}

/** Whether the traffic is a file, which has its own rates or cells. */
export function isFile(traffic: string): boolean {
  return /^\s*(matrix|trace)\b/.test(traffic);
}

/** What the simulator is asked for. */
export function request(state: State, spec: string, file: string): string {
  const one = (text: string) => text.replace(/[\r\n]/g, " ");
  // Rates that were set take the place of a file.
  const own = state.rates.length > 0 && /^\s*matrix\b/.test(state.traffic) ? matrix(state) : file;
  const lines = [
    `switch=${one(spec)}`,
    `ports=${state.ports}`,
    `traffic=${one(state.traffic)}`,
    `arrivals=${one(state.arrivals)}`,
    `load=${isFile(state.traffic) ? "" : state.load}`,
    `seed=${state.seed}`,
    `added=${state.added.map(cell => `${cell.slot}.${cell.input}.${cell.output}`).join(" ")}`,
  ];
  return `${lines.join("\n")}\nfile\n${own}`;
}

/** The rates as a matrix file. */
export function matrix({ rates, ports }: State): string {
  return Array.from({ length: ports }, (_, input) => rates.slice(input * ports, (input + 1) * ports).join(",")).join("\n") + "\n";
}

const quote = (text: string) => (/^[\w.=:,+-]+$/.test(text) ? text : `'${text.replace(/'/g, "'\\''")}'`);

/** The command line that gives the same run. */
export function command(state: State): string {
  // Added cells are in the trace only, which is then the traffic.
  const traced = state.added.length > 0;
  const traffic = traced ? "trace(file=cells.csv)" : state.traffic;
  const words = [
    "switchlab", state.view === "race" || state.view === "curve" ? "run" : "step",
    ...state.switches.map(quote),
    "--ports", String(state.ports),
    "--traffic", quote(traffic),
  ];
  if (!isFile(traffic)) words.push("--arrivals", quote(state.arrivals), "--load", state.view === "curve" ? LOADS.join(",") : String(state.load));
  words.push("--seed", state.seed);
  if (state.view === "curve") words.push("--slots", String(CURVE.slots), "--warmup", String(CURVE.warmup), "--replications", String(CURVE.replications));
  else if (state.view === "life") words.push("--slot", String(state.cell?.slot ?? state.slot));
  else if (state.view !== "race") words.push("--slot", String(state.slot));
  else words.push("--slots", String(Math.max(state.slot, 1)), "--warmup", "0", "--replications", "1");
  return words.join(" ");
}

// Everything that is seen, as the fragment of the address.

export type View = "slot" | "race";

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
}

export const MOST_PORTS = 64;
export const MOST_SLOT = 200_000;
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
};

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
        if (value === "slot" || value === "race") state.view = value;
        else refuse(key, value, "slot or race");
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
      default: problems.push(`The link has a key ${key.slice(0, 40)}, which is not known here.`);
    }
  }
  if (switches.length > 0) state.switches = switches;
  else if (state.view === "race") state.switches = RACE;
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
  const lines = [
    `switch=${one(spec)}`,
    `ports=${state.ports}`,
    `traffic=${one(state.traffic)}`,
    `arrivals=${one(state.arrivals)}`,
    `load=${isFile(state.traffic) ? "" : state.load}`,
    `seed=${state.seed}`,
    `added=${state.added.map(cell => `${cell.slot}.${cell.input}.${cell.output}`).join(" ")}`,
  ];
  return `${lines.join("\n")}\nfile\n${file}`;
}

const quote = (text: string) => (/^[\w.=:,+-]+$/.test(text) ? text : `'${text.replace(/'/g, "'\\''")}'`);

/** The command line that gives the same run. */
export function command(state: State): string {
  // Added cells are in the trace only, which is then the traffic.
  const traced = state.added.length > 0;
  const traffic = traced ? "trace(file=cells.csv)" : state.traffic;
  const words = [
    "switchlab", state.view === "race" ? "run" : "step",
    ...state.switches.map(quote),
    "--ports", String(state.ports),
    "--traffic", quote(traffic),
  ];
  if (!isFile(traffic)) words.push("--arrivals", quote(state.arrivals), "--load", String(state.load));
  words.push("--seed", state.seed);
  if (state.view === "slot") words.push("--slot", String(state.slot));
  else words.push("--slots", String(Math.max(state.slot, 1)), "--warmup", "0", "--replications", "1");
  return words.join(" ");
}

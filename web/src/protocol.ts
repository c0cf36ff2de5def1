// What the simulator answers. The names are those of crates/switchlab-web/src/sim.rs.

export interface Failed { error: string }

export interface Parameter { name: string; about: string }
export interface Entry { name: string; about: string; parameters: Parameter[] }
export interface Catalogue { switches: Entry[]; traffic: Entry[]; arrivals: Entry[] }

/** What a run is of, in canonical form. */
export interface About {
  switch: string;
  name: string;
  about: string;
  traffic: string;
  arrivals: string;
  ports: number;
  stages: number;
  /** By input and output; missing for a trace, and for more than 16 ports. */
  rates?: number[];
}

/** Queue lengths, by what the queues are. A VOQ's index is input * ports + output. */
export interface Queues { voqs?: number[]; inputs?: number[]; first?: number[]; outputs?: number[] }

/** What a scheduler remembers: a number for each port. */
export interface Remembered { name: string; values: number[] }

export interface Pair { input: number; output: number }

/** A step of a decision, in the order in which they are taken. */
export type Event =
  | { step: "iteration" }
  | { step: "requests"; output: number; inputs: number[] }
  | { step: "grant"; input: number; output: number }
  | { step: "accept"; input: number; output: number }
  | { step: "pointer"; side: "input" | "output"; port: number; before: number; after: number }
  | { step: "on service"; input: number; output: number }
  | { step: "captured"; input: number; output: number; cells: number }
  | { step: "greedy"; input: number; output: number }
  | { step: "path"; inputs: number[]; outputs: number[] }
  | { step: "weight"; input: number; output: number; weight: number }
  | { step: "price"; side: "input" | "output"; port: number; price: number }
  | { step: "merge"; red: number[]; green: number[] }
  | { step: "cycle"; inputs: number[]; red: number; green: number; kept: "red" | "green" }
  | { step: "phase"; after: boolean }
  | { step: "slack"; input: number; output: number; arrived: number; cushion: number; thread: number }
  | { step: "ranked"; input: number; output: number; row: number; column: number }
  | { step: "root"; input: number; output: number; iteration: number }
  | { step: "proposed"; input: number; output: number }
  | { step: "written"; input: number; output: number; memory: number; departs: number }
  | { step: "other" };

/** A cell of a fabric: its input, its output, its arrival slot. */
export type FabricCell = [number, number, number];

/** A buffer of a fabric that has cells. */
export interface Buffer {
  side: "input" | "output";
  stage: number;
  element: number;
  port: number;
  group: number;
  cells: FabricCell[];
  /** What its first cell needs, and from which buffers, by index; missing if it can move. */
  need?: "room" | "predecessor";
  for?: number[];
}

export interface Fabric {
  stages: { role: string; radix: number; groups: number; input: number; output: number }[];
  /** By link and position at its beginning: the position at its end. Link l leads to stage l. */
  links: number[][];
  /** By link and position: groups with a cell to send, groups with a credit, groups. */
  credits: [number, number, number][][];
  buffers: Buffer[];
  on_links: { link: number; position: number; cell: FabricCell }[];
}

export interface Totals {
  backlog: number;
  arrived: number;
  departed: number;
  lost: number;
  /** The sum of the delays of the cells that have departed. */
  delays: number;
  hash: string;
}

/** One slot. */
export interface Slot extends Totals {
  slot: number;
  /** For each input the output of its new cell, or -1. */
  arrivals: number[];
  dropped: { input: number; output: number; arrived: number }[];
  /** By input and output, the arrival slots of the first cells inside. */
  cells: number[][];
  /** By input and output, how many cells are inside. */
  inside: number[];
  /** Before the decision, with the arrivals of the slot. */
  queues?: Queues;
  state?: Remembered[];
  /** Cells in shared memories before the slot: memory, departure slot, input, output, arrival slot. */
  memories?: [number, number, number, number, number][];
  /** By input and output, what is left of the VOQ's captured frame, before and after. */
  frames?: number[];
  frames_after?: number[];
  fabric?: Fabric;
  fabric_after?: Fabric;
  steps: Event[];
  /** For each input its output, or -1. */
  matching?: number[];
  queues_after?: Queues;
  state_after?: Remembered[];
  /** For each output the cell that departs; input -1 is none. */
  departures: { input: number; arrived: number }[];
}

/** Where a run stands. */
export interface Status extends Totals {
  now: number;
  p99: number;
  matching?: number[];
  queues?: Queues;
  inside: number[];
}

export interface Estimate { mean: number; ci95?: number }
export type Verdict = "stable" | "unstable" | "undecided";

/** A load of a curve. */
export interface Point {
  load: number;
  delay?: Estimate;
  throughput?: Estimate;
  verdict: Verdict;
  /** Slots measured. */
  slots: number;
  stopped?: string;
}

export interface Curve { done: boolean; now: number; end: number; points: Point[] }

export type Answer<T> = T | Failed;

export function failed<T extends object>(answer: Answer<T>): answer is Failed {
  return "error" in answer;
}

/** What the page asks the worker for. */
export type Question =
  | { verb: "open"; module: string }
  | { verb: "slot"; request: string; slot: number }
  | { verb: "trace"; request: string; slots: number }
  | { verb: "start"; requests: string[] }
  | { verb: "advance"; runs: number; slots: number }
  | { verb: "curves"; requests: string[] }
  | { verb: "advance curve"; curve: number; slots: number }
  | { verb: "differences"; curves: number }
  | { verb: "life"; request: string; arrival: number; input: number }
  | { verb: "longest"; request: string; from: number; slots: number };

/** The slots from the arrival of a cell to its departure. */
export interface Life { about: About; slots: Slot[]; output: number; departed: boolean }

/** Cells that waited long. */
export interface Waited { input: number; output: number; arrived: number; delay: number }

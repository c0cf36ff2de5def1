// Where things are in the picture of a crossbar.

/** Sizes for a number of ports, in units of the picture. */
export interface Geometry {
  ports: number;
  /** The side of a crosspoint's square. */
  cell: number;
  /** Room for inputs on the left, and for outputs below. */
  left: number;
  below: number;
  top: number;
  width: number;
  height: number;
  /** Font sizes. */
  label: number;
  number: number;
}

export function geometry(ports: number, dials: boolean): Geometry {
  const cell = ports <= 4 ? 104 : ports <= 8 ? 78 : ports <= 16 ? 42 : ports <= 32 ? 24 : 14;
  const left = (dials ? 112 : 84) + (ports <= 8 ? 12 : 0);
  const below = (dials ? 112 : 84) + (ports <= 8 ? 6 : 0);
  const [top, right] = [14, 18];
  const label = ports <= 16 ? 14 : Math.max(9, cell * 0.62);
  return {
    ports, cell, left, below, top, label,
    number: ports <= 8 ? 14 : Math.max(8, cell * 0.36),
    width: left + ports * cell + right,
    height: top + ports * cell + below,
  };
}

/** The crosspoint of an input and an output: where the two lines cross. */
export function node(g: Geometry, input: number, output: number): [number, number] {
  return [g.left + (output + 1) * g.cell - g.cell * 0.16, g.top + (input + 1) * g.cell - g.cell * 0.16];
}

/** The side of the square of a VOQ. */
export const squareSide = (g: Geometry) => g.cell * 0.7;

/** The line of an input, and of an output. */
export const rowY = (g: Geometry, input: number) => node(g, input, 0)[1];
export const columnX = (g: Geometry, output: number) => node(g, 0, output)[0];

// The module of the simulator: unpacked from text, and called.

interface Exports {
  memory: WebAssembly.Memory;
  input(length: number): number;
  output(): number;
  list(): number;
  build(run: number): number;
  advance(run: number, slots: number): number;
  slot(run: number): number;
  trace(slots: number): number;
  curve(curve: number): number;
  advance_curve(curve: number, slots: number): number;
  differences(first: number, other: number): number;
}

/** Base64 of gzip, as web/build writes it; compiled while it is inflated. */
function unpack(text: string): Response {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let index = 0; index < bytes.length; index += 1) bytes[index] = letters.charCodeAt(index);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream, { headers: { "Content-Type": "application/wasm" } });
}

export class Module {
  private constructor(private readonly exports: Exports) {}

  static async open(text: string): Promise<Module> {
    const { instance } = await WebAssembly.instantiateStreaming(unpack(text), {});
    return new Module(instance.exports as unknown as Exports);
  }

  private request(text: string): void {
    const bytes = new TextEncoder().encode(text);
    const start = this.exports.input(bytes.length);
    new Uint8Array(this.exports.memory.buffer, start, bytes.length).set(bytes);
  }

  private answer(length: number): never {
    const bytes = new Uint8Array(this.exports.memory.buffer, this.exports.output(), length);
    return JSON.parse(new TextDecoder().decode(bytes)) as never;
  }

  list(): never {
    return this.answer(this.exports.list());
  }

  build(run: number, request: string): never {
    this.request(request);
    return this.answer(this.exports.build(run));
  }

  advance(run: number, slots: number): never {
    return this.answer(this.exports.advance(run, slots));
  }

  slot(run: number): never {
    return this.answer(this.exports.slot(run));
  }

  curve(curve: number, request: string): never {
    this.request(request);
    return this.answer(this.exports.curve(curve));
  }

  advanceCurve(curve: number, slots: number): never {
    return this.answer(this.exports.advance_curve(curve, slots));
  }

  differences(first: number, other: number): never {
    return this.answer(this.exports.differences(first, other));
  }

  trace(slots: number, request: string): never {
    this.request(request);
    return this.answer(this.exports.trace(slots));
  }
}

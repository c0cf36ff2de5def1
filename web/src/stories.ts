// The stories: lessons of the field as data over the views.
//
// A step is a link and a text. Its facts are what the text says, as expressions over what the
// simulator gives for the link; web/tests/stories.test.mjs holds each of them. Names there: slot,
// frame (of the step), said(text) of the frame, pairs, cells(input, output), lanes, causes(name),
// reasons, edges, at(line, load).

export interface Step { link: string; text: string; facts: string[] }
export interface Story { id: string; title: string; about: string; steps: Step[] }

const step = (link: string, text: string, ...facts: string[]): Step => ({ link, text, facts });

const HOL = "#switch=fifo&ports=4&load=0&add=0.0.1+0.1.1+0.2.1+1.2.3+2.3.0";
/** A queue of one cell that no matching of maximum size serves while two others are served. */
const STARVES = "&ports=4&load=0&add=0.2.1+0.0.1+0.1.0+0.3.0+1.0.0+1.1.0+2.0.1+2.1.0+3.0.1+3.1.0+4.0.1+4.1.0+5.0.1+5.1.0+6.0.1+6.1.0+7.0.1+7.1.0+8.0.1+8.1.0+9.0.1+9.1.0+10.0.1+10.1.0+11.0.1+11.1.0+12.0.1+12.1.0+13.0.1+13.1.0+14.0.1+14.1.0+15.0.1+15.1.0+16.0.1+16.1.0+17.0.1+17.1.0+18.0.1+18.1.0+19.0.1+19.1.0+20.0.1+20.1.0+21.0.1+21.1.0+22.0.1+22.1.0+23.0.1+23.1.0+24.0.1+24.1.0+25.0.1+25.1.0+26.0.1+26.1.0+27.0.1+27.1.0+28.0.1+28.1.0+29.0.1+29.1.0+30.0.1+30.1.0+31.0.1+31.1.0+32.0.1+32.1.0+33.0.1+33.1.0+34.0.1+34.1.0+35.0.1+35.1.0+36.0.1+36.1.0+37.0.1+37.1.0+38.0.1+38.1.0+39.0.1+39.1.0+40.0.1+40.1.0";
/** Arrivals after which first-fit has no memory for a cell: 2N-2 memories are one too few. */
const ADVERSARY = "&ports=4&load=0&add=0.0.0+0.1.0+0.2.0+0.3.0+1.0.1+1.1.1+1.2.0+1.3.1+2.0.2+2.1.1+2.2.0+2.3.2+3.0.2+3.1.1+3.2.0+3.3.3";
/** The same for every matcher that has placed the cells before as maximum does. */
const STRONGER = "&ports=4&load=0&add=0.0.0+0.1.0+0.2.0+0.3.0+1.0.0+1.1.0+1.2.0+1.3.0+2.0.0+2.1.0+2.2.0+3.0.1+3.1.1+3.2.1+3.3.1+4.0.1+4.1.1+4.2.1+4.3.1+5.0.2+5.1.2+5.2.2+5.3.2+6.0.2+6.1.2+7.0.0+7.1.1+7.2.2+8.0.0+8.1.1+8.2.2+9.0.0+9.1.1+9.2.2+10.0.0+10.1.1+10.2.2+11.0.3+11.1.3+11.2.3+11.3.3";
/** Arrivals that lock a fabric whose routing buffers are one cell too small. */
const LOCKS = "&ports=4&load=0&add=0.0.2+0.1.3+0.2.2+0.3.1+1.0.2+1.2.2+1.3.1+2.0.2+2.2.2+2.3.2+3.0.2+3.2.2+7.3.0+8.0.2+8.1.3+8.2.2+8.3.2+9.0.1+9.1.3+9.2.2+9.3.2+10.0.1+10.2.2+10.3.0+11.0.2+11.1.3+11.2.2+11.3.2+12.0.2+12.2.2+12.3.1+13.0.2+13.2.2+13.3.2+14.0.1+14.1.2+14.3.2+15.0.2+15.3.1+16.0.2+16.1.0+16.3.2+17.0.1+17.1.0+17.2.2+21.1.2+21.2.2+21.3.1+22.0.2+22.1.0+22.2.2+22.3.2+23.0.2+23.1.3+23.2.2+23.3.2+24.1.2+25.0.1+25.1.3+25.2.1+25.3.1+26.0.2+26.2.2+26.3.1+27.0.1+27.2.2+27.3.0+29.3.0+30.0.2+30.1.2+31.0.2+31.2.1+31.3.0+32.0.2+33.0.2+33.2.1+33.3.1+34.0.2+34.1.3+34.2.2+34.3.0+35.0.2+35.1.0+35.3.1+36.0.2+36.1.3+38.1.0+38.2.2+38.3.1+39.2.2+39.3.2+40.0.2+41.0.2+41.1.3+42.0.1+42.1.2+42.2.2+42.3.0+43.0.2+43.1.3+45.0.2+45.1.2+46.0.2+46.1.0+47.1.0+48.1.2+50.0.2+52.0.2+52.2.2+52.3.2+53.0.2+54.0.2+54.1.0+55.0.2+55.1.2+56.0.2+58.0.2+58.1.2";
const LOCKED = `#switch=benes(radix=2,distribution-buffer=2,routing-buffer=1,merge=fixed,pointers=zero)${LOCKS}`;

export const STORIES: Story[] = [
  {
    id: "head-of-line", title: "Head-of-line blocking", about: "Why one queue for each input loses two fifths of a switch.",
    steps: [
      step(`${HOL}&slot=0`, "Each input has one FIFO queue. In slot 0 three cells arrive, all of them for output 1. Only the first cell of a queue can leave.", "said('3 cells arrive: 0→1, 1→1, 2→1')"),
      step(`${HOL}&slot=0&step=1`, "An output sends one cell in a slot. One of the three departs, two stay.", "said('1 cell departs; 2 stay inside')"),
      step(`${HOL}&slot=1`, "In slot 1 input 2 gets a cell for output 3. Nobody else wants output 3.", "said('2→3')", "cells(2, 1) === 1"),
      step(`${HOL}&slot=1&step=1`, "The new cell stays all the same: the cell before it waits for output 1. Output 3 is idle, and so is its line. This is head-of-line blocking.", "slot.departures[3].input === -1", "cells(2, 3) === 1"),
      step("#view=life&switch=fifo&ports=4&load=0&slot=3&add=0.0.1+0.1.1+0.2.1+1.2.3+2.3.0&cell=1.2", "Its life: two slots behind another cell, and never a rival for its own output.", "causes('behind') === 2", "reasons.at(-1).cause === 'departs'"),
      step("#switch=islip&ports=4&load=0&add=0.0.1+0.1.1+0.2.1+1.2.3+2.3.0&slot=1&step=5", "With a virtual output queue for each output nothing stands before it: in the same slot it departs.", "slot.departures[3].input === 2"),
      step("#view=race&switch=fifo&switch=oq&switch=islip&ports=4&load=1&slot=20000", "All lines full, four ports, 20,000 slots. FIFO queues send on 66 % of the lines; theory says 65.5 %. Output queues send on nearly all of them.", "Math.abs(lanes[0].throughput - 0.6553) < 0.005", "lanes[1].throughput > 0.99"),
      step("#view=race&switch=fifo&switch=oq&switch=islip&ports=32&load=1&slot=5000", "With 32 ports it is 59 %. For ever more ports the limit is 2 - √2, which is 58.6 %.", "Math.abs(lanes[0].throughput - 0.59) < 0.01"),
      step("#view=curve&switch=fifo&switch=oq&ports=8", "Delay against load, growing while you look. With 8 ports the FIFO switch is stable at load 0.6 and unstable at 0.7; output queueing has no such edge.", "edges[0].stable === 0.6", "edges[0].unstable === 0.7", "at(1, 0.9).verdict === 'stable'"),
      step("#view=race&switch=fifo&switch=oq&switch=islip&ports=8&load=0.5&slot=20000", "Below the edge all is well: at load 0.5 all three carry every cell, and differ by about a slot of delay.", "lanes.every(lane => Math.abs(lane.throughput - 0.5) < 0.01)", "lanes[0].delay - lanes[1].delay < 2"),
    ],
  },
  {
    id: "pim", title: "PIM's 63 per cent", about: "Random choices on both sides collide, and repeating them mends it.",
    steps: [
      step("#switch=pim(iterations=1)&ports=4&load=1&slot=300", "PIM with one iteration, and all queues full. There are cells for every pair of ports.", "slot.inside.every(cells => cells > 0)"),
      step("#switch=pim(iterations=1)&ports=4&load=1&slot=300&step=1", "Every input requests every output: 16 requests.", "said('16 requests')"),
      step("#switch=pim(iterations=1)&ports=4&load=1&slot=300&step=2", "Every output grants one of its requests at random. Outputs do not know of each other: outputs 1 and 2 both grant input 2.", "said('1 grants 2, 2 grants 2')"),
      step("#switch=pim(iterations=1)&ports=4&load=1&slot=300&step=3", "An input accepts one grant. The other one is wasted, and input 3 has got none.", "said('1 grant is not accepted')", "slot.matching[3] === -1"),
      step("#switch=pim(iterations=1)&ports=4&load=1&slot=300&step=5", "So three cells depart where four could. An input gets no grant with the probability (1 - 1/N)^N.", "said('3 cells depart')"),
      step("#view=race&switch=pim(iterations=1)&switch=oq&ports=2&load=1&slot=20000", "Two ports: 1 - (1/2)² is 75 %. Measured over 20,000 slots at full load: 75 %.", "Math.abs(lanes[0].throughput - 0.75) < 0.01"),
      step("#view=race&switch=pim(iterations=1)&switch=oq&ports=32&load=1&slot=5000", "32 ports: 1 - (31/32)^32 is 63.8 %. For ever more ports it is 1 - 1/e, the 63 % of the title.", "Math.abs(lanes[0].throughput - 0.638) < 0.01"),
      step("#switch=pim(iterations=2)&ports=4&load=1&slot=300&step=4", "A second iteration: only the ports that are left request again. Here they are matched.", "said('3 requests')", "pairs.length === 4"),
      step("#view=race&switch=pim(iterations=1)&switch=pim(iterations=2)&switch=pim(iterations=4)&ports=16&load=1&slot=20000", "One, two and four iterations with 16 ports: 64 %, 88 % and 99 %. About log₂ N iterations find a maximal matching.", "[0.64, 0.88, 0.99].every((share, lane) => Math.abs(lanes[lane].throughput - share) < 0.01)"),
      step("#view=curve&switch=pim(iterations=1)&switch=islip&ports=16", "The edge of one iteration lies between the loads 0.6 and 0.7. iSLIP, also with one iteration, passes it: the next story says why.", "edges[0].stable === 0.6", "edges[0].unstable === 0.7", "at(1, 0.7).verdict === 'stable'"),
    ],
  },
  {
    id: "pointers", title: "Pointers that slip apart", about: "RRM and iSLIP differ in one line: when a pointer moves.",
    steps: [
      step("#switch=rrm&ports=4&load=1&slot=200", "RRM: every port has a round-robin pointer, drawn as a hand on a dial. All queues are full.", "slot.inside.every(cells => cells > 0)"),
      step("#switch=rrm&ports=4&load=1&slot=200&step=1", "All inputs request all outputs.", "said('16 requests')"),
      step("#switch=rrm&ports=4&load=1&slot=200&step=2", "An output grants the input at or after its pointer. Look at the dials below: they point alike, so outputs 0 and 3 grant input 2, and outputs 1 and 2 grant input 1.", "said('0 grants 2, 1 grants 1, 2 grants 1, 3 grants 2')"),
      step("#switch=rrm&ports=4&load=1&slot=200&step=3", "Two grants are wasted. But RRM moves a pointer with every grant, accepted or not: the pointers that were equal move together, and stay equal.", "said('2 grants are not accepted')"),
      step("#switch=rrm&ports=4&load=1&slot=200&step=5", "Two cells depart from 16 full queues.", "said('2 cells depart')"),
      step("#switch=islip&ports=4&load=1&slot=200&step=2", "iSLIP in the same slot, with the same arrivals: its outputs grant four different inputs.", "said('0 grants 2, 1 grants 1, 2 grants 0, 3 grants 3')"),
      step("#switch=islip&ports=4&load=1&slot=200&step=3", "Its pointers move only when a grant is accepted. Of two outputs with equal pointers only one is accepted, and moves. So they slip apart.", "said('8 pointers move')", "pairs.length === 4"),
      step("#switch=islip&ports=4&load=1&slot=2000&step=3", "Later all four grant pointers are different, and they go on turning like that: every slot is a perfect matching.", "pairs.length === 4", "new Set(slot.state_after[0].values).size === 4"),
      step("#view=race&switch=rrm&switch=islip&ports=4&load=1&slot=20000", "20,000 slots at full load: iSLIP sends on 99 % of the lines. RRM has run into a rhythm in which it sends on 27 %.", "Math.abs(lanes[0].throughput - 0.27) < 0.01", "lanes[1].throughput > 0.98"),
      step("#view=curve&switch=rrm&switch=islip&ports=16", "The edge of RRM lies between 0.6 and 0.7. iSLIP is stable there.", "edges[0].stable === 0.6", "edges[0].unstable === 0.7", "at(1, 0.8).verdict === 'stable'"),
    ],
  },
  {
    id: "starves", title: "Maximum size starves", about: "As many cells as possible in each slot is not as good as it sounds.",
    steps: [
      step(`#switch=msm${STARVES}&slot=1`, "A scheduler that finds a matching of maximum size in each slot. In slot 1 a cell arrives at input 0 for output 0. Follow it.", "said('0→0')"),
      step(`#switch=msm${STARVES}&slot=1&step=2`, "Two other cells are sent in this slot. That is the maximum.", "pairs.length === 2", "!pairs.includes('0→0')"),
      step(`#switch=msm${STARVES}&slot=2`, "From now on each slot brings a cell 0→1 and a cell 1→0.", "said('0→1, 1→0')"),
      step(`#switch=msm${STARVES}&slot=2&step=1`, "The search begins with our cell, 0→0, which takes both an input and an output for itself.", "said('1 pair: 0→0')"),
      step(`#switch=msm${STARVES}&slot=2&step=2`, "An augmenting path replaces it by two pairs. Two cells are more than one.", "said('1→0, 0→1')"),
      step(`#switch=msm${STARVES}&slot=10&step=3`, "Eight slots later the same: two new cells are sent, and ours waits.", "pairs.join() === '0→1,1→0'", "cells(0, 0) === 1"),
      step(`#view=life&switch=msm${STARVES}&slot=60&cell=1.0`, "Its life: 40 slots at the head of its queue, and in each of them its output served another input. It departs when the arrivals end; if they did not, it would wait for ever.", "causes('output') === 40", "reasons.at(-1).cause === 'departs'"),
      step(`#switch=mwm${STARVES}&slot=10&step=1`, "Weights by queue length do not help here: two queues of one cell outweigh one.", "said('1 + 1 = 2')", "!pairs.includes('0→0')"),
      step(`#switch=gs-ocf${STARVES}&slot=2&step=4`, "Ages do. When the oldest cell comes first, ours is sent in slot 2, although only one cell is sent then.", "pairs.join() === '0→0'"),
      step(`#view=life&switch=islip${STARVES}&slot=60&cell=1.0`, "Round robin does too: a pointer cannot pass over a queue for ever. With iSLIP our cell waits one slot.", "reasons.length === 2", "reasons.at(-1).cause === 'departs'"),
    ],
  },
  {
    id: "serena", title: "SERENA's merge", about: "The matching of the slot before and the arrivals of this one are enough.",
    steps: [
      step("#switch=serena&ports=8&load=0.9&slot=40", "SERENA does not search through the queues. It looks at this slot's arrivals; here there are eight.", "said('8 cells arrive')"),
      step("#switch=serena&ports=8&load=0.9&slot=40&step=1", "Diamonds are a matching made of the arrivals, completed where ports are left. Rings are the matching of the slot before. Both cover all ports.", "slot.steps[0].red.every(output => output >= 0)", "slot.steps[0].green.every(output => output >= 0)"),
      step("#switch=serena&ports=8&load=0.9&slot=40&step=1", "Two pairs are in both. All other pairs form cycles: along a row from ring to diamond, along a column from diamond to ring.", "said('They share 2 pairs')", "slot.steps.filter(step => step.step === 'cycle').length === 2"),
      step("#switch=serena&ports=8&load=0.9&slot=40&step=2", "The first cycle has four inputs. Its diamonds hold five cells, its rings two. The heavier colour is kept.", "said('Red weighs 5, green weighs 2: red is kept')", "frame.cycle.inputs.length === 4"),
      step("#switch=serena&ports=8&load=0.9&slot=40&step=3", "The second cycle has two inputs, and red wins again. Each cycle is decided for itself.", "said('Red weighs 4, green weighs 2')"),
      step("#switch=serena&ports=8&load=0.9&slot=40&step=4", "The result is a matching of all eight ports. One of its queues is empty, and sends nothing.", "pairs.length === 8", "said('1 matched VOQ is empty')"),
      step("#switch=serena&ports=4&load=0.9&slot=31&step=2", "With four ports, in another slot: here the old pairs weigh five and the new ones one, and green is kept. A good matching is remembered.", "said('Red weighs 1, green weighs 5: green is kept')"),
      step("#switch=serena&ports=16&load=0.9&slot=1&step=2", "The weight of the merge is never below that of either matching. In slot 1 nearly all of the switch is one cycle, of 14 inputs.", "frame.cycle.inputs.length === 14"),
      step("#view=race&switch=serena&switch=islip&switch=mwm&ports=16&load=0.9&traffic=diagonal&slot=20000", "Diagonal traffic, on which iSLIP falls behind: its backlog grows to thousands of cells. SERENA carries it, at a small part of the cost of a maximum weight matching.", "lanes[1].backlog > 10000", "lanes[0].backlog < 1000"),
      step("#view=curve&switch=serena&switch=islip&ports=8&traffic=diagonal", "The same as curves: SERENA stays stable at load 0.9 of diagonal traffic, where iSLIP is not.", "at(0, 0.9).verdict === 'stable'", "at(1, 0.9).verdict === 'unstable'"),
    ],
  },
  {
    id: "ouroboros", title: "Ouroboros cycles", about: "How SERENADE decides cycles by messages, and which it cannot understand.",
    steps: [
      step("#switch=c-serenade&ports=16&load=0.9&slot=53&step=1", "C-SERENADE merges as SERENA does, but nobody sees a whole cycle. With 16 ports each input exchanges messages in 1 + log₂ 16 = 5 iterations.", "slot.matching.length === 16"),
      step("#switch=c-serenade&ports=16&load=0.9&slot=53&step=3", "In iteration k an input learns the weights of the next 2^k edges. On a cycle of two inputs it soon meets itself: it has seen the whole, like the snake that bites its tail.", "frame.cycle.inputs.length === 2"),
      step("#switch=c-serenade&ports=16&load=0.9&slot=53&step=3", "So this cycle is ouroboros. Its inputs know that red is heavier, 5 against 1, and take it.", "said('Red weighs 5, green weighs 1: red is kept')"),
      step("#switch=c-serenade&ports=16&load=0.9&slot=53&step=2", "This one has 11 inputs. 11 divides no 2^n, 2^m - 2^n or 2^m + 2^n with n < m ≤ 4, so no input meets itself.", "frame.cycle.inputs.length === 11"),
      step("#switch=c-serenade&ports=16&load=0.9&slot=53&step=2", "Nobody knows that red weighs 19 and green 3. C-SERENADE is conservative: the inputs keep what they had.", "said('Red weighs 19, green weighs 3: green is kept')"),
      step("#switch=c-serenade&ports=16&load=0.9&slot=53&step=6", "Half of the matched queues are empty in this slot: eight cells depart.", "said('8 cells depart')"),
      step("#switch=c-serenade&ports=16&load=0.9&slot=60&seed=1", "Of the lengths up to 16, only 11 and 13 are not ouroboros. All other cycles are decided exactly.", "slot.slot === 60"),
      step("#switch=c-serenade&ports=8&load=0.9&slot=40&step=4", "With up to 8 ports every cycle is ouroboros. Then C-SERENADE is SERENA, as here, in the slot of the story before.", "pairs.join() === '0→5,1→2,2→7,3→0,4→4,5→3,6→6,7→1'"),
      step("#view=race&switch=serena&switch=c-serenade&switch=o-serenade&switch=mwm&ports=16&load=0.9&slot=20000", "What it costs: at load 0.9 C-SERENADE waits somewhat longer than SERENA. O-SERENADE lets a leader guess from the part that it knows, and comes close.", "lanes[1].delay > lanes[2].delay", "lanes[2].delay > lanes[0].delay", "lanes[1].delay < 1.3 * lanes[0].delay"),
      step("#view=curve&switch=serena&switch=c-serenade&switch=o-serenade&ports=16", "All three are stable at load 0.9. What differs is some delay.", "[0, 1, 2].every(line => at(line, 0.9).verdict === 'stable')"),
    ],
  },
  {
    id: "frames", title: "Captured frames", about: "A matching that lasts as long as a queue was when it was captured.",
    steps: [
      step("#switch=uform&ports=4&load=0.95&slot=196", "uFORM: round-robin matching by captured frames. A green frame marks a queue of which two cells or more were captured when it was served last. When it is matched, it goes on service for as many slots.", "slot.frames.some(cells => cells > 1)"),
      step("#switch=uform&ports=4&load=0.95&slot=196&step=1", "The queue 1→2 is on service from the slot before. It is matched first, without a request.", "said('go on: 1→2')"),
      step("#switch=uform&ports=4&load=0.95&slot=196&step=2", "Only inputs and outputs that are not on service take part in requests: here eight.", "said('8 requests')"),
      step("#switch=uform&ports=4&load=0.95&slot=196&step=6", "When the last cell of a frame has gone, what the queue then holds is captured as its next frame: two cells of 2→1.", "said('2→1 with 2 cells')"),
      step("#switch=uform&ports=4&load=0.95&slot=197&step=1", "A slot later two queues are on service: 1→2 and 3→0. Matches add up from slot to slot, as they do over iterations elsewhere.", "said('1→2, 3→0')"),
      step("#switch=uform&ports=4&load=0.95&slot=198&step=1", "Another slot later three.", "said('0→1, 1→2, 3→0')"),
      step("#switch=uform&ports=4&load=0.95&slot=198&step=3", "Their frames end together. The longest queue captures the longest frame, four cells, and so gets more service.", "said('1→2 with 4 cells')"),
      step("#switch=uform&ports=4&load=0.95&slot=199&step=4", "Nothing is on service now, and all ports take part: four pairs.", "!frames.some(one => one.kind === 'service')", "pairs.length === 4"),
      step("#view=race&switch=uform&switch=islip&switch=oq&ports=16&load=0.9&traffic=diagonal&slot=20000", "Diagonal traffic at load 0.9: iSLIP, with the same arbiters, falls behind by thousands of cells. uFORM carries it without comparing queue lengths.", "lanes[0].backlog < 1000", "lanes[1].backlog > 10000"),
      step("#view=curve&switch=uform&switch=islip&ports=8&traffic=diagonal", "As curves, with the edge of iSLIP.", "at(0, 0.9).verdict === 'stable'", "edges[1].unstable !== null"),
    ],
  },
  {
    id: "roots", title: "A stable matching by roots", about: "How a switch at twice the speed does what an output queue does.",
    steps: [
      step("#switch=cioq&ports=4&load=0.95&slot=60", "A CIOQ switch: queues at the inputs, buffers at the outputs, and a crossbar that transfers two matchings in a slot.", "slot.steps.filter(step => step.step === 'phase').length === 2"),
      step("#switch=cioq&ports=4&load=0.95&slot=60&step=1", "The slackness of a cell is how many cells of its output's buffer leave before it, less how many cells of its input go before it. At 0 it must cross now.", "frame.kind === 'slack'", "frame.slack.every(cell => cell.cushion >= cell.thread)"),
      step("#switch=cioq&ports=4&load=0.95&slot=60&step=2", "Inputs rank their queues, outputs rank the cells for them. A node has both ranks; an arrow leads to a pair that is liked less.", "said('4 pairs compete')"),
      step("#switch=cioq&ports=4&load=0.95&slot=60&step=3", "A root has no arrow towards it: both sides like each other best. Here there are three, and they belong to every stable matching.", "said('3 roots are matched: 0→2, 2→0, 3→1')", "frame.ranked.filter(pair => pair.row === 1 && pair.column === 1).length === 3"),
      step("#switch=cioq&ports=4&load=0.95&slot=60&step=3", "The pair 1→0 is no root: output 0 likes input 2 better. It leaves the graph with the root of its column.", "frame.ranked.some(pair => pair.input === 1 && pair.output === 0 && pair.column === 2)"),
      step("#switch=cioq&ports=4&load=0.95&slot=60&step=4", "The three cells cross into the buffers of their outputs.", "said('3 cells cross')"),
      step("#switch=cioq&ports=4&load=0.95&slot=60&step=5", "Then each output sends the cell that an output-queued switch would send.", "said('4 cells depart')"),
      step("#switch=cioq&ports=4&load=0.95&slot=60&step=8", "The second phase, after the departures: the cell 1→0 is a root now, and crosses.", "said('1 root is matched: 1→0')"),
      step("#view=race&switch=cioq(discipline=fifo)&switch=oq&ports=8&load=0.95&slot=20000", "After 20,000 slots the two have sent the same cells in the same slots: their hashes are equal. A speedup of 2 is enough for that.", "lanes[0].hash === lanes[1].hash"),
      step("#view=race&switch=cioq(policy=lqf)&switch=oq&ports=8&load=0.95&slot=20000", "It depends on the ranks. When both sides prefer the longest queue, the speed is the same, and the departures are not.", "lanes[0].hash !== lanes[1].hash"),
    ],
  },
  {
    id: "memories", title: "2N-1 memories and an adversary", about: "How many slow memories make an output-queued switch, and why one fewer does not.",
    steps: [
      step(`#switch=psm(memories=7,capacity=32)${ADVERSARY}&slot=0`, "Four ports and shared memories. A memory takes one write and one read in a slot. The adversary sends four cells for output 0.", "said('0→0, 1→0, 2→0, 3→0')"),
      step(`#switch=psm(memories=7,capacity=32)${ADVERSARY}&slot=0&step=1`, "When a cell departs is known: they are due in slots 0 to 3. They go to four different memories, for each is written once in a slot.", "said('3→0 to memory 3, due in slot 3')"),
      step(`#switch=psm(memories=7,capacity=32)${ADVERSARY}&slot=1&step=1`, "A new cell avoids the memories that hold a cell of the same departure slot: at most N - 1 = 3 of them.", "slot.steps.filter(step => step.step === 'written').length === 4"),
      step(`#switch=psm(memories=7,capacity=32)${ADVERSARY}&slot=1&step=1`, "It also avoids those written in this slot, again at most 3. Of 2N - 1 = 7 memories one is always left. That is the proof.", "slot.state[0].values.length === 7"),
      step(`#switch=psm(memories=7,capacity=32)${ADVERSARY}&slot=3&step=1`, "Slot 3 is the worst case: the last cell finds only memory 6, the seventh.", "said('3→3 to memory 6, due in slot 3')"),
      step(`#switch=psm(memories=6,capacity=32)${ADVERSARY}&slot=2&step=1`, "The same arrivals with 2N - 2 = 6 memories. In slot 2 all is well; the highest, memory 5, is used for the first time.", "said('3→2 to memory 5')", "slot.state[0].values.length === 6"),
      step(`#switch=psm(memories=6,capacity=32)${ADVERSARY}&slot=2&step=2`, "In the next slot the switch stops. First-fit gives the three memories that the last cell fits to other cells. Ask for slot 3: the message says which.", "said('depart')", "stops(3).includes('has no memory')"),
      step(`#switch=psm(memories=6,capacity=32,matcher=maximum)${ADVERSARY}&slot=3&step=1`, "A better matching places all of them: maximum rearranges, and passes this trace.", "slot.steps.filter(step => step.step === 'written').length === 4"),
      step(`#switch=psm(memories=6,capacity=32,matcher=maximum)${STRONGER}&slot=10&step=1`, "But there is a trace for it too. In slot 11 four cells fit only three memories together, and no assignment places them all.", "stops(11).includes('fit only 3 memories together')"),
      step("#view=race&switch=psm&switch=oq&ports=8&load=0.95&slot=20000", "With 2N - 1 memories the departures are those of output queueing, cell by cell: the hashes are equal.", "lanes[0].hash === lanes[1].hash"),
    ],
  },
  {
    id: "deadlock", title: "The deadlock of a Benes fabric", about: "Credits, sequence numbers and buffers one cell too small.",
    steps: [
      step("#switch=benes&ports=4&load=0.8&slot=60", "A Benes fabric of small elements. The first stages spread cells over all paths, the last ones bring them together.", "slot.fabric.stages.length === 4 || slot.fabric.stages.length === 2"),
      step(`${LOCKED}&slot=10&step=1`, "Elements of two ports, four stages. A number in a buffer is the output that its first cell is for. Beside a link stands how many flow groups have a credit.", "slot.fabric.stages.length === 4", "slot.fabric.stages.every(stage => stage.radix === 2)"),
      step(`${LOCKED}&slot=20&step=2`, "A cell that is blocked waits either for room or for its predecessor: cells that took different paths are put into order again.", "frame.kind === 'waits'", "slot.fabric_after.buffers.some(buffer => buffer.need !== undefined)"),
      step(`${LOCKED}&slot=58`, "In slot 58 the last two cells arrive. From now on nothing comes in.", "said('2 cells arrive: 0→2, 1→2')"),
      step(`${LOCKED}&slot=59&step=2`, "A slot later ten buffers of 16 wait. That is congestion: some can still move.", "said('10 buffers of 16 cannot move')", "!said('deadlock')"),
      step(`${LOCKED}&slot=62&step=2`, "Fewer cells, and eleven of 14 wait.", "said('11 buffers of 14 cannot move')"),
      step(`${LOCKED}&slot=70&step=2`, "Now all twelve wait, each for another of them. No cell can move, whatever arrives: follow the thick arrows into their circle.", "said('12 buffers of 12 cannot move')", "said('deadlock')"),
      step(`${LOCKED}&slot=121&step=2`, "Fifty slots later nothing has changed.", "slot.backlog === 12", "said('deadlock')", "slot.departures.every(cell => cell.input === -1)"),
      step(`${LOCKED}&slot=121&step=2`, "The simulator finds it too. Ask for later slots: it stops, and names the cells of the circle.", "stops(200).includes('deadlock: 6 cells wait for each other in a circle')"),
      step(`#switch=benes(radix=2,distribution-buffer=3,routing-buffer=3,merge=fixed,pointers=zero)${LOCKS}&slot=300&step=1`, "The same cells with larger buffers: the fabric is empty again. Which sizes are enough is a theorem, and `switchlab deadlock` searches for the counterexamples.", "slot.backlog === 0"),
    ],
  },
];

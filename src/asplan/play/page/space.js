"use strict";

// The states that can be reached, as the page knows them. A state is a number; the starts come first.
//
//   moves(state)     what may happen there, [{name, to}]; null while that is not known
//   picture(state)   the shape of each thing there, null where it is not there
//   holds(state)     the fluents that hold there; null where the page does not say
//   isGoal(state)    whether the goal holds
//   distance(state)  the fewest steps to a goal, Infinity at a dead end; undefined where not known
//   load(state)      resolves when the moves of a state are known
//   way(state)       resolves to the states and actions of a shortest way to a goal, null if none

const unpack = async ([type, text]) => {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const types = { Uint8: Uint8Array, Uint16: Uint16Array, Uint32: Uint32Array };
  return new types[type](await new Response(stream).arrayBuffer());
};

// All of them are in the page.
const packedSpace = async (data) => {
  const names = ["goals", "degrees", "happens", "targets", "poses", "holds"];
  const [goals, degrees, happens, jumps, poses, bits] = await Promise.all(
    names.map((name) => unpack(data[name])),
  );
  const count = data.states, isGoal = new Uint8Array(count);
  goals.forEach((state) => { isGoal[state] = 1; });

  // The moves stand in the order of their sources, and 0 is the next state that was not met before.
  const first = new Uint32Array(count + 1), targets = new Uint32Array(jumps.length);
  const parents = new Uint32Array(count);
  let met = data.starts.length - 1;
  for (let state = 0; state < count; state++) {
    first[state + 1] = first[state] + degrees[state];
    for (let move = first[state]; move < first[state + 1]; move++) {
      if (jumps[move]) targets[move] = jumps[move] - 1;
      else { targets[move] = ++met; parents[met] = state; }
    }
  }

  // Each state is told as what differs from the one from which it was reached.
  const columns = (numbers) => {
    for (let row = 0; row < numbers.length; row += count) {
      for (let n = 1; n < count; n++) numbers[row + n] ^= numbers[row + parents[n]];
    }
  };
  columns(poses);
  columns(bits);

  // Distances, breadth first and backwards from all goals at once.
  const sources = new Uint32Array(targets.length), into = new Uint32Array(count + 1);
  targets.forEach((state) => { into[state + 1]++; });
  for (let n = 0; n < count; n++) into[n + 1] += into[n];
  const place = into.slice();
  for (let state = 0; state < count; state++) {
    for (let m = first[state]; m < first[state + 1]; m++) sources[place[targets[m]]++] = state;
  }
  const away = new Float64Array(count).fill(Infinity), queue = [...goals];
  queue.forEach((state) => { away[state] = 0; });
  for (const state of queue) {
    for (let m = into[state]; m < into[state + 1]; m++) {
      if (away[sources[m]] === Infinity) {
        away[sources[m]] = away[state] + 1;
        queue.push(sources[m]);
      }
    }
  }

  const remember = (make) => {
    const known = new Map();
    return (state) => {
      if (!known.has(state)) known.set(state, make(state));
      return known.get(state);
    };
  };
  const moves = remember((state) => {
    const found = [];
    for (let m = first[state]; m < first[state + 1]; m++) {
      found.push({ name: data.actions[happens[m]], to: targets[m] });
    }
    return found;
  });
  const picture = (state) => data.things.map((thing, i) => {
    const pose = poses[i * count + state];
    return pose ? thing.shapes[pose - 1] : null;
  });
  const holds = (state) => data.fluents.filter((_, f) => bits[(f >> 3) * count + state] >> (f & 7) & 1);
  return {
    moves, isGoal: (state) => isGoal[state] === 1, distance: (state) => away[state],
    picture: remember(picture), holds: data.fluents.length ? remember(holds) : () => null,
    things: data.things, load: async () => {},
    way: async (state) => {
      if (away[state] === Infinity) return null;
      const found = [];
      while (away[state]) {
        found.push(moves(state).find(({ to }) => away[to] === away[state] - 1));
        state = found.at(-1).to;
      }
      return found;
    },
  };
};

// A server knows them, and is asked for what is around a state, or for a way from there.
const servedSpace = async (onThing) => {
  const states = new Map(), asked = new Map(), things = [], numbers = new Map(), away = new Map();

  async function ask(what, state) {
    const answer = await fetch(`${what}?state=${state}`, { method: "POST" });
    const found = await answer.json();
    if (!answer.ok) throw new Error(found.error);
    return found;
  }

  // The things of an answer are in order, and those that are new go to their places.
  function learn(found) {
    let before = null;
    for (const thing of found.things.toReversed()) {
      if (!numbers.has(thing.name)) {
        numbers.set(thing.name, things.push(thing) - 1);
        onThing(thing, before);
      }
      before = numbers.get(thing.name);
    }
    for (const { state, poses, ...told } of found.states) {
      const shapes = [];
      found.things.forEach((thing, i) => {
        if (poses[i]) shapes[numbers.get(thing.name)] = thing.shapes[poses[i] - 1];
      });
      states.set(state, { shapes, moves: null, ...states.get(state), ...told });
    }
  }

  function load(state) {
    if (states.get(state)?.moves) return Promise.resolve();
    if (!asked.has(state)) {
      const answer = ask("look", state).then(learn);
      asked.set(state, answer.finally(() => asked.delete(state)));
    }
    return asked.get(state);
  }

  async function way(state) {
    const known = [];
    while (away.get(state)?.left) {
      known.push(away.get(state).move);
      state = known.at(-1).to;
    }
    if (away.has(state)) return away.get(state).left === Infinity ? null : known;
    const found = await ask("way", state);
    if (!found.way) {
      away.set(state, { left: Infinity });
      return null;
    }
    found.way.forEach((move, i) => {
      away.set(state, { left: found.way.length - i, move });
      state = move.to;
    });
    away.set(state, { left: 0 });
    return found.way;
  }

  await load(0);
  return {
    load, way, things,
    moves: (state) => states.get(state)?.moves ?? null,
    picture: (state) => things.map((_, i) => states.get(state).shapes[i] ?? null),
    holds: (state) => states.get(state).holds,
    isGoal: (state) => states.get(state).goal,
    distance: (state) => away.get(state)?.left ?? (states.get(state)?.goal ? 0 : undefined),
  };
};

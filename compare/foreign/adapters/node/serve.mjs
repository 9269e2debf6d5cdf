// The protocol canonscope-engine/1 for engines in JavaScript. An adapter calls serve with what hello answers
// and with a function that finds the one that prepares an operation of a suite. That gets the task and returns
// a function of the index of a document and its input, which may return a promise.
import {readFileSync} from 'node:fs';
import {Session} from 'node:inspector/promises';
import {PerformanceObserver} from 'node:perf_hooks';
import {createInterface} from 'node:readline';

const write = process.stdout.write.bind(process.stdout);
console.log = console.info = console.error; // libraries may print; standard output is for answers

// refuse ends an operation with an answer of a kind: unsupported, refused, loss, limit or failed.
export function refuse(kind, message) {
  throw Object.assign(new Error(message), {kind});
}

// versionOf is the version of an installed package.
export function versionOf(name) {
  const path = new URL(`./node_modules/${name}/package.json`, import.meta.url);
  return JSON.parse(readFileSync(path)).version;
}

// loaderOf finds the contexts that tasks have brought so far.
export function loaderOf(task) {
  return async url => {
    const document = task.known.get(url) ?? refuse('failed', `no context ${url} was given`);
    return {contextUrl: null, documentUrl: url, document};
  };
}

let collected = 0; // milliseconds of the collector
new PerformanceObserver(list => list.getEntries().forEach(e => { collected += e.duration; })).observe({entryTypes: ['gc']});

const bytes = text => Buffer.from(text ?? '', 'base64');
const bytesOf = out => Buffer.from(out ?? '');

async function run(task, operation, {first = 0, warm = 0, count, profile}) {
  const step = i => operation((first + i) % task.documents.length, task.inputs[(first + i) % task.documents.length]);
  for(let i = 0; i < warm; i++) {
    await step(i);
  }
  let session;
  if(profile) {
    session = new Session();
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.setSamplingInterval', {interval: 250});
    await session.post('Profiler.start');
  }

  const wall = new Array(count), gc = collected, cpu = process.cpuUsage();
  let output;
  for(let i = 0; i < count; i++) {
    const start = process.hrtime.bigint();
    output = await step(warm + i);
    wall[i] = Number(process.hrtime.bigint() - start);
  }
  const used = process.cpuUsage(cpu);
  const ran = {wall_ns: wall, cpu_ns: (used.user + used.system) * 1000, gc_ns: Math.round((collected - gc) * 1e6),
    peak_bytes: process.resourceUsage().maxRSS * 1024, output: bytesOf(output).toString('base64')};
  if(session) {
    ran.profile = Buffer.from(JSON.stringify((await session.post('Profiler.stop')).profile)).toString('base64');
    session.disconnect();
  }
  return ran;
}

export async function serve({kindOf = () => undefined, ...hello}, find) {
  const known = new Map(); // contexts, until the end
  let task, operation;
  const answers = {
    hello: () => ({hello: {...hello, protocol: 'canonscope-engine/1', language: `JavaScript, Node.js ${process.version}`}}),
    async prepare(r) {
      operation = undefined;
      for(const [url, text] of Object.entries(r.task.contexts ?? {})) {
        known.set(url, JSON.parse(bytes(text).toString()));
      }
      task = {...r.task, known, documents: (r.task.documents ?? []).map(bytes), inputs: (r.task.inputs ?? []).map(bytes)};
      const prepare = await find(task.operation, task.suite) ?? refuse('unsupported', `${task.operation} of ${task.suite}`);
      operation = await prepare(task);
      return {};
    },
    async gate(r) {
      const index = r.index ?? 0;
      return {output: bytesOf(await operation(index, r.input === undefined ? task.inputs[index] : bytes(r.input))).toString('base64')};
    },
    run: async r => ({ran: await run(task, operation, r.run)}),
    bye: () => ({})
  };
  for await (const line of createInterface({input: process.stdin, crlfDelay: Infinity})) {
    const r = JSON.parse(line);
    let answer;
    try {
      answer = await (answers[r.do] ?? (() => refuse('unsupported', `request ${r.do}`)))(r);
    } catch(e) {
      answer = {error: {kind: e.kind ?? kindOf(e) ?? 'failed', message: String(e.message ?? e).slice(0, 500)}};
    }
    write(JSON.stringify({id: r.id, ...answer}) + '\n');
    if(r.do === 'bye') {
      break;
    }
  }
  process.exitCode = 0;
}

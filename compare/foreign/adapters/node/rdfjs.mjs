// Adapter of rdfjs-c14n, over the quads of jsonld-streaming-parser: no code of jsonld.js or rdf-canonize.
import {JsonLdParser} from 'jsonld-streaming-parser';
import {RDFC10} from 'rdfjs-c14n';
import {loaderOf, serve, versionOf} from './serve.mjs';

// quads parses JSON-LD. The parser processes contexts anew for each document.
function quads(task, text) {
  const load = loaderOf(task);
  const documentLoader = {load: async url => (await load(url)).document};
  return new Promise((resolve, reject) => {
    const found = [];
    const parser = new JsonLdParser({documentLoader, skipContextValidation: true});
    parser.on('data', quad => found.push(quad));
    parser.on('error', reject);
    parser.on('end', () => resolve(found));
    parser.end(text);
  });
}

function canonize(task) {
  const engine = new RDFC10();
  engine.hash_algorithm = task.hash ?? 'sha256';
  return async i => {
    const text = task.documents[i].toString();
    return engine.canonicalize(task.input === 'nquads' ? text : await quads(task, text));
  };
}

const packages = ['jsonld-streaming-parser', 'rdfjs-c14n'];

serve({
  name: packages.join(', '),
  version: packages.map(versionOf).join(', '),
  lineage: 'rdfjs',
  can: [{suite: 'rdfc', operations: ['canonize']}],
  kindOf: e => e instanceof RangeError ? 'limit' : undefined
}, (operation, suite) => operation === 'canonize' && suite === 'rdfc' ? canonize : undefined);

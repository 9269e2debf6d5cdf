// Adapter of jsonld.js with rdf-canonize, and of canonicalize.
import canonicalize from 'canonicalize';
import jsonld from 'jsonld';
import * as rdfCanonize from 'rdf-canonize';
import {loaderOf, refuse, serve, versionOf} from './serve.mjs';

// Without a work factor rdf-canonize refuses cycles of two blank nodes; 3 is what the official suite needs.
const algorithm = {algorithm: 'RDFC-1.0', maxWorkFactor: 3};

// rdfc canonizes by way of the dataset, because jsonld.js does not hand the hash on.
async function rdfc(task, text) {
  const options = {...algorithm, format: 'application/n-quads', messageDigestAlgorithm: task.hash === 'sha384' ? 'SHA-384' : 'SHA-256'};
  if(task.input === 'nquads') {
    return rdfCanonize.canonize(text, {...options, inputFormat: 'application/n-quads'});
  }
  const dataset = await jsonld.toRDF(JSON.parse(text), {documentLoader: loaderOf(task), safe: true});
  return rdfCanonize.canonize(dataset, options);
}

// kindOf is the kind of an error: what safe mode refuses, and the limit on blank nodes that are alike.
function kindOf(e) {
  return /safe mode/i.test(e.message) ? 'loss' : /deep iterations/.test(e.message) ? 'limit' : undefined;
}

serve({
  name: 'jsonld.js, rdf-canonize, canonicalize',
  version: ['jsonld', 'rdf-canonize', 'canonicalize'].map(versionOf).join(', '),
  lineage: 'digitalbazaar',
  can: [{suite: 'rdfc', operations: ['canonize']}, {suite: 'jcs', operations: ['canonize']}],
  kindOf
}, {
  'canonize rdfc': task => i => rdfc(task, task.documents[i].toString()),
  'canonize jcs': task => i => canonicalize(JSON.parse(task.documents[i].toString())) ?? refuse('failed', 'there is no form')
});

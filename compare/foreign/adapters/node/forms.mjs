// Canonical forms with jsonld.js and rdf-canonize, and with canonicalize.
import canonicalize from 'canonicalize';
import jsonld from 'jsonld';
import * as rdfCanonize from 'rdf-canonize';
import {loaderOf, refuse} from './serve.mjs';

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

function canonize(task) {
  const form = task.suite === 'rdfc' ? rdfc :
    (_, text) => canonicalize(JSON.parse(text)) ?? refuse('failed', 'there is no form');
  return i => form(task, task.documents[i].toString());
}

export const names = ['rdfc', 'jcs'];
export const operations = {canonize};

// The engine exec:node: libraries of JavaScript by suite. What a task does not need is not loaded.
import {serve, versionOf} from './serve.mjs';

const exchange = ['issue', 'verify', 'present', 'verify-presented'];
const modules = [
  {file: './forms.mjs', suites: ['rdfc', 'jcs'], operations: ['canonize']},
  {file: './di.mjs', operations: exchange,
    suites: ['eddsa-rdfc-2022', 'ecdsa-rdfc-2019', 'eddsa-jcs-2022', 'ecdsa-jcs-2019', 'ecdsa-sd-2023', 'bbs-2023']},
  {file: './sdjwt.mjs', suites: ['jws'], operations: exchange},
  {file: './auth0.mjs', suites: ['cose-sign1'], operations: exchange}
];
const packages = ['jsonld', 'rdf-canonize', 'canonicalize', '@digitalbazaar/data-integrity', '@sd-jwt/sd-jwt-vc', '@auth0/mdl'];

serve({
  name: packages.join(', '),
  version: packages.map(versionOf).join(', '),
  lineage: 'digitalbazaar',
  can: modules.flatMap(({suites, operations}) => suites.map(suite => ({suite, operations}))),
  // What safe mode refuses, and the limit on blank nodes that are alike.
  kindOf: e => /safe mode/i.test(e.message) ? 'loss' : /deep iterations/.test(e.message) ? 'limit' : undefined
}, async (operation, suite) => {
  const found = modules.find(m => m.suites.includes(suite));
  return found && (await import(found.file)).operations[operation];
});

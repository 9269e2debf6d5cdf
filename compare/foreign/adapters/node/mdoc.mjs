// What the adapters of mdoc libraries share: the claims of a task as data elements, and its keys.
import {createPublicKey} from 'node:crypto';

const subject = '/credentialSubject/';
const tokens = pointer => pointer.split('/').slice(1).map(t => t.replaceAll('~1', '/').replaceAll('~0', '~'));

// identifiers of elements are their pointers below the subject.
const identifier = pointer => pointer.slice(subject.length);

// elementsOf are the claims of a document: the one name of document type and namespace, the values by identifier,
// and the validity period.
export function elementsOf(task, i) {
  const claims = JSON.parse(task.documents[i].toString());
  const at = pointer => tokens(pointer).reduce((value, token) => value[token], claims);
  const date = seconds => new Date(seconds * 1000);
  return {
    type: claims.vct, values: Object.fromEntries(task.elements[i].map(p => [identifier(p), at(p)])),
    validity: {signed: date(claims.nbf), validFrom: date(claims.nbf), validUntil: date(claims.exp)}
  };
}

// disclosedOf are the identifiers that a document is presented with.
export const disclosedOf = (task, i) => task.disclose[i].map(identifier);

export const certificateOf = task => new Uint8Array(Buffer.from(task.keys.certificate, 'base64'));
export const publicKeyOf = task => createPublicKey({key: task.keys.jwk, format: 'jwk'});

// SD-JWT VC with @sd-jwt/sd-jwt-vc; signatures by the cryptography of Node.js.
import {createHash, createPrivateKey, createPublicKey, randomBytes, sign as rawSign, verify as rawVerify} from 'node:crypto';
import {SDJwtVcInstance} from '@sd-jwt/sd-jwt-vc';
import {refuse} from './serve.mjs';

const hashes = {EdDSA: null, ES256: 'sha256', ES384: 'sha384'};
const hasher = (data, algorithm) => createHash(algorithm.replace('-', '')).update(typeof data === 'string' ? data : Buffer.from(data)).digest();

// instance is an issuer where the task has the secret key, a verifier in any case.
function instance({algorithm, keys}) {
  const hash = hashes[algorithm], dsaEncoding = 'ieee-p1363';
  const key = keys.jwk.d && createPrivateKey({key: keys.jwk, format: 'jwk'});
  const publicKey = createPublicKey({key: keys.jwk, format: 'jwk'});
  return new SDJwtVcInstance({
    signAlg: algorithm, hashAlg: 'sha-256', hasher, saltGenerator: n => randomBytes(n).toString('base64url'),
    signer: async data => rawSign(hash, Buffer.from(data), {key, dsaEncoding}).toString('base64url'),
    verifier: async (data, signature) => rawVerify(hash, Buffer.from(data), {key: publicKey, dsaEncoding}, Buffer.from(signature, 'base64url'))
  });
}

const tokens = pointer => pointer.split('/').slice(1).map(t => t.replaceAll('~1', '/').replaceAll('~0', '~'));

// frame names the members that are disclosures, below the objects and arrays that hold them.
function frame(pointers) {
  const root = {};
  for(const pointer of pointers) {
    const path = tokens(pointer), last = path.pop();
    let at = root;
    for(const token of path) {
      at = at[token] ??= {};
    }
    (at._sd ??= []).push(last);
  }
  return root;
}

// presented is true at each pointer.
function presented(pointers) {
  const root = {};
  for(const pointer of pointers) {
    const path = tokens(pointer), last = path.pop();
    let at = root;
    for(const token of path) {
      at = at[token] ??= {};
    }
    at[last] = true;
  }
  return root;
}

function issue(task) {
  const sdjwt = instance(task);
  return i => sdjwt.issue(JSON.parse(task.documents[i].toString()), frame(task.elements[i]));
}

function present(task) {
  const sdjwt = instance(task);
  return (i, input) => sdjwt.present(input.toString(), presented(task.disclose[i]));
}

// unreferenced finds a disclosure that no digest refers to. The library leaves such disclosures out of its result, and
// with them one that was altered; they must be refused (RFC 9901 section 7.1 step 5).
function unreferenced(token) {
  const [jwt, ...rest] = token.split('~');
  const disclosures = rest.slice(0, -1), digests = new Set();
  const collect = value => {
    if(value === null || typeof value !== 'object') {
      return;
    }
    (value._sd ?? []).forEach(d => digests.add(d));
    digests.add(value['...']);
    Object.values(value).forEach(collect);
  };
  const json = text => JSON.parse(Buffer.from(text, 'base64url').toString());
  collect(json(jwt.split('.')[1]));
  disclosures.forEach(d => collect(json(d).at(-1)));
  return disclosures.find(d => !digests.has(hasher(d, 'sha-256').toString('base64url')));
}

function verify(task) {
  const sdjwt = instance(task), currentDate = Math.floor(Date.parse(task.now) / 1000);
  return async (i, input) => {
    try {
      await sdjwt.verify(input.toString(), {currentDate});
    } catch(e) {
      refuse('refused', e.message);
    }
    if(unreferenced(input.toString())) {
      refuse('refused', 'no digest refers to a disclosure');
    }
  };
}

export const names = ['jws'];
export const operations = {issue, verify, present, 'verify-presented': verify};

// Data Integrity with the suites of Digital Bazaar.
import * as BlsMultikey from '@digitalbazaar/bls12-381-multikey';
import * as EcdsaMultikey from '@digitalbazaar/ecdsa-multikey';
import * as Ed25519Multikey from '@digitalbazaar/ed25519-multikey';
import {DataIntegrityProof} from '@digitalbazaar/data-integrity';
import {cryptosuite as eddsaRdfc} from '@digitalbazaar/eddsa-rdfc-2022-cryptosuite';
import {cryptosuite as ecdsaRdfc} from '@digitalbazaar/ecdsa-rdfc-2019-cryptosuite';
import * as eddsaJcs from '@digitalbazaar/eddsa-jcs-2022-cryptosuite';
import * as ecdsaJcs from '@digitalbazaar/ecdsa-jcs-2019-cryptosuite';
import * as bbs from '@digitalbazaar/bbs-2023-cryptosuite';
import * as sd from '@digitalbazaar/ecdsa-sd-2023-cryptosuite';
import jsigs from 'jsonld-signatures';
import {loaderOf, refuse} from './serve.mjs';

const deriving = library => ({
  sign: mandatoryPointers => library.createSignCryptosuite({mandatoryPointers}),
  verify: () => library.createVerifyCryptosuite(),
  disclose: selectivePointers => library.createDiscloseCryptosuite({selectivePointers})
});

const suites = {
  'eddsa-rdfc-2022': {sign: () => eddsaRdfc, verify: () => eddsaRdfc},
  'ecdsa-rdfc-2019': {sign: () => ecdsaRdfc, verify: () => ecdsaRdfc},
  'eddsa-jcs-2022': {sign: () => eddsaJcs.createSignCryptosuite(), verify: () => eddsaJcs.createVerifyCryptosuite()},
  'ecdsa-jcs-2019': {sign: () => ecdsaJcs.createSignCryptosuite(), verify: () => ecdsaJcs.createVerifyCryptosuite()},
  'ecdsa-sd-2023': deriving(sd),
  'bbs-2023': deriving(bbs)
};
const keyTypes = {EdDSA: Ed25519Multikey, BBS: BlsMultikey};

// surroundings are the loader, which knows the issuer's key beside the contexts, and the purpose.
function surroundings(task) {
  const {did, method, multikey} = task.keys, load = loaderOf(task);
  const {secretKeyMultibase, ...key} = multikey;
  const document = {'@context': 'https://w3id.org/security/multikey/v1', ...key, id: method, controller: did};
  const documentLoader = async url => url === method ? {contextUrl: null, documentUrl: url, document} : load(url);
  const controller = {id: did, assertionMethod: [method], verificationMethod: [document]};
  const purpose = () => new jsigs.purposes.AssertionProofPurpose({controller, date: new Date(task.now), maxTimestampDelta: Infinity});
  return {documentLoader, purpose};
}

const parse = bytes => JSON.parse(bytes.toString());

async function issue(task) {
  const {documentLoader, purpose} = surroundings(task);
  const keys = keyTypes[task.algorithm] ?? EcdsaMultikey;
  const key = await keys.from({...task.keys.multikey, type: 'Multikey', id: task.keys.method, controller: task.keys.did});
  const signer = key.signer();
  return async i => {
    const suite = new DataIntegrityProof({signer, date: task.now, cryptosuite: suites[task.suite].sign(task.mandatory?.[i])});
    return JSON.stringify(await jsigs.sign(parse(task.documents[i]), {suite, purpose: purpose(), documentLoader}));
  };
}

function present(task) {
  const {documentLoader, purpose} = surroundings(task);
  const disclose = suites[task.suite].disclose ?? refuse('unsupported', `present of ${task.suite}`);
  return async (i, input) => {
    const suite = new DataIntegrityProof({cryptosuite: disclose(task.disclose[i])});
    return JSON.stringify(await jsigs.derive(parse(input), {suite, purpose: purpose(), documentLoader}));
  };
}

// verify checks the proof and, as verifiers of credentials do, the validity period.
function verify(task) {
  const {documentLoader, purpose} = surroundings(task), now = Date.parse(task.now);
  return async (i, input) => {
    const document = parse(input);
    if(now < Date.parse(document.validFrom) || now > Date.parse(document.validUntil)) {
      refuse('refused', 'outside the validity period');
    }
    const suite = new DataIntegrityProof({cryptosuite: suites[task.suite].verify()});
    const r = await jsigs.verify(document, {suite, purpose: purpose(), documentLoader});
    if(!r.verified) {
      const e = r.error?.errors?.[0] ?? r.error;
      refuse('refused', `${e?.message}${e?.cause ? `: ${e.cause.message}` : ''}`);
    }
  };
}

export const names = Object.keys(suites);
export const operations = {issue, verify, present, 'verify-presented': verify};

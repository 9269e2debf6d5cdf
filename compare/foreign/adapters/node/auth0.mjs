// mdoc with @auth0/mdl. It reads and writes DeviceResponse alone, and verifies whole ones alone: what it has for a
// response without device authentication are the checks that verify calls here.
import {Document, IssuerSignedDocument, MDoc, parse} from '@auth0/mdl';
import {certificateOf, disclosedOf, elementsOf, publicKeyOf} from './mdoc.mjs';
import {refuse} from './serve.mjs';

function issue(task) {
  const issuerCertificate = certificateOf(task), issuerPrivateKey = task.keys.jwk;
  const kid = Buffer.from(task.keys.method); // it writes the kid of a JWK as text, which COSE does not allow
  return async i => {
    const {type, values, validity} = elementsOf(task, i);
    const document = await new Document(type).addIssuerNameSpace(type, values).useDigestAlgorithm('SHA-256')
      .addValidityInfo(validity).addDeviceKeyInfo({deviceKey: task.keys.holder})
      .sign({issuerPrivateKey, issuerCertificate, alg: task.algorithm, kid});
    return new MDoc([document]).encode();
  };
}

function present(task) {
  return (i, input) => {
    const wanted = new Set(disclosedOf(task, i)), {docType, issuerSigned} = parse(input).documents[0];
    const nameSpaces = Object.fromEntries(Object.entries(issuerSigned.nameSpaces).map(([name, items]) =>
      [name, items.filter(item => wanted.has(item.elementIdentifier))]));
    return new MDoc([new IssuerSignedDocument(docType, {...issuerSigned, nameSpaces})]).encode();
  };
}

function verify(task) {
  const key = publicKeyOf(task), now = new Date(task.now);
  return async (_, input) => {
    const {issuerSigned: {issuerAuth, nameSpaces}} = parse(input).documents[0];
    if(!await issuerAuth.verify(key)) {
      refuse('refused', 'the signature of the issuer');
    }
    const {validFrom, validUntil} = issuerAuth.decodedPayload.validityInfo;
    if(now < validFrom || now > validUntil) {
      refuse('refused', 'outside the validity period');
    }
    for(const [name, items] of Object.entries(nameSpaces)) {
      for(const item of items) {
        if(!await item.isValid(name, issuerAuth)) {
          refuse('refused', `the digest of ${item.elementIdentifier}`);
        }
      }
    }
  };
}

export const operations = {issue, verify, present, 'verify-presented': verify};

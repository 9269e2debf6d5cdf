// Adapter of @owf/mdoc, by the cryptography of Node.js. It trusts the key of the task, not a chain of certificates.
import {createHash, createPrivateKey, randomBytes, sign, verify as verifyRaw, X509Certificate} from 'node:crypto';
import {
  CoseKey, DeviceKey, DocRequest, Holder, Issuer, IssuerSigned, ItemsRequest, limitDisclosureToDeviceRequestNameSpaces,
  SignatureAlgorithm
} from '@owf/mdoc';
import {certificateOf, disclosedOf, elementsOf, publicKeyOf} from './mdoc.mjs';
import {refuse, serve, versionOf} from './serve.mjs';

const hashes = {EdDSA: null, ES256: 'sha256'}, dsaEncoding = 'ieee-p1363';

// surroundings are what the library leaves to those who call it.
function surroundings(task) {
  if(task.algorithm === 'ES384') {
    refuse('unsupported', 'JWKs of P-384, whose curve it spells p-384');
  }
  const hash = hashes[task.algorithm], publicKey = publicKeyOf(task), coseKey = CoseKey.fromJwk(publicKey.export({format: 'jwk'}));
  const {validFrom, validTo} = new X509Certificate(certificateOf(task));
  const period = {notBefore: new Date(validFrom), notAfter: new Date(validTo)};
  const key = task.keys.jwk.d && createPrivateKey({key: task.keys.jwk, format: 'jwk'});
  return {
    crypto: {digest: ({bytes}) => new Uint8Array(createHash('sha256').update(bytes).digest()), random: n => new Uint8Array(randomBytes(n))},
    cose: {sign1: {
      sign: ({toBeSigned}) => new Uint8Array(sign(hash, toBeSigned, {key, dsaEncoding})),
      verify: ({sign1}) => verifyRaw(hash, sign1.toBeSigned, {key: publicKey, dsaEncoding}, sign1.signature)
    }},
    x509: {
      getPublicKey: () => coseKey,
      getIssuerNameField: () => ['UT'],
      getCertificateData: () => period
    }
  };
}

function issue(task) {
  const context = surroundings(task), certificates = [certificateOf(task)];
  const signingKey = CoseKey.fromJwk(task.keys.jwk), algorithm = SignatureAlgorithm[task.algorithm];
  const deviceKeyInfo = {deviceKey: DeviceKey.fromJwk(task.keys.holder)};
  return async i => {
    const {type, values, validity: validityInfo} = elementsOf(task, i);
    const issuer = new Issuer(type, context).addIssuerNamespace(type, values);
    const signed = await issuer.sign({signingKey, certificates, algorithm, digestAlgorithm: 'SHA-256', deviceKeyInfo, validityInfo});
    return signed.encode();
  };
}

function present(task) {
  return (i, input) => {
    const signed = IssuerSigned.decode(input), {issuerAuth} = signed, {docType} = issuerAuth.mobileSecurityObject;
    const wanted = Object.fromEntries(disclosedOf(task, i).map(id => [id, false]));
    const itemsRequest = ItemsRequest.create({docType, namespaces: {[docType]: wanted}});
    const issuerNamespaces = limitDisclosureToDeviceRequestNameSpaces(signed, DocRequest.create({itemsRequest}));
    return IssuerSigned.create({issuerNamespaces, issuerAuth}).encode();
  };
}

function verify(task) {
  const context = surroundings(task), now = new Date(task.now);
  return async (_, input) => {
    try {
      await Holder.verifyIssuerSigned({issuerSigned: IssuerSigned.decode(input), disableCertificateChainValidation: true, now}, context);
    } catch(e) {
      refuse('refused', e.message);
    }
  };
}

const operations = {issue, verify, present, 'verify-presented': verify};

serve({
  name: '@owf/mdoc',
  version: versionOf('@owf/mdoc'),
  lineage: 'owf',
  can: [{suite: 'cose-sign1', operations: Object.keys(operations)}]
}, (operation, suite) => suite === 'cose-sign1' ? operations[operation] : undefined);

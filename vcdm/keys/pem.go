//phase:caller
package keys

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"slices"
)

// isPEM reports whether a key file is PEM (RFC 7468).
func isPEM(b []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(b), []byte("-----BEGIN ")) }

// pem reads the first key or certificate of a PEM file (RFC 7468), as openssl writes it: PKCS #8, SEC 1 or
// SubjectPublicKeyInfo. Blocks of other types, such as EC PARAMETERS, are skipped.
func (f *File) pem(b []byte) error {
	var passed []string
	for {
		block, rest := pem.Decode(b)
		if block == nil {
			break
		}
		b = rest
		switch block.Type {
		case "PRIVATE KEY":
			key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
			return f.secret(key, err)
		case "EC PRIVATE KEY":
			key, err := x509.ParseECPrivateKey(block.Bytes)
			return f.secret(key, err)
		case "PUBLIC KEY":
			key, err := x509.ParsePKIXPublicKey(block.Bytes)
			return f.public(key, err)
		case "CERTIFICATE":
			c, err := x509.ParseCertificate(block.Bytes)
			if err != nil {
				return fmt.Errorf("PEM certificate: %w", err)
			}
			return f.public(c.PublicKey, nil)
		case "RSA PRIVATE KEY", "RSA PUBLIC KEY":
			return errors.New("PEM: an RSA key; " + usable)
		case "ENCRYPTED PRIVATE KEY":
			return errors.New("PEM: an encrypted key; openssl pkcs8 -in FILE decrypts it")
		case "OPENSSH PRIVATE KEY":
			return errors.New("PEM: a key of OpenSSH; ssh-keygen -p -m PKCS8 -f FILE converts it in place")
		}

		if !slices.Contains(passed, block.Type) {
			passed = append(passed, block.Type)
		}
	}

	if len(passed) > 0 {
		return fmt.Errorf("PEM: holds %q and no key", passed)
	}

	return errors.New("PEM: no whole block in it; the file is cut or damaged")
}

// usable lists the kinds of keys.
const usable = "Data Integrity, SD-JWT VC and mdoc take Ed25519, P-256 or P-384 here"

func (f *File) secret(key any, err error) error {
	if err != nil {
		return fmt.Errorf("PEM private key: %w", err)
	}
	f.Secret, err = SecretOf(key)
	return err
}

func (f *File) public(key any, err error) error {
	if err != nil {
		return fmt.Errorf("PEM public key: %w", err)
	}
	f.Public, err = PublicOf(key)
	return err
}

// SecretOf returns the key pair of the standard library's ed25519.PrivateKey or *ecdsa.PrivateKey.
func SecretOf(key crypto.PrivateKey) (*Secret, error) {
	switch k := key.(type) {
	case ed25519.PrivateKey:
		return FromSeed(EdDSA, k.Seed())
	case *ecdsa.PrivateKey:
		public, err := PublicOf(&k.PublicKey)
		if err != nil {
			return nil, err
		}
		seed, err := k.Bytes()
		if err != nil {
			return nil, err
		}
		return FromSeed(public.Algorithm(), seed)
	}
	return nil, unusable(key)
}

// unusable is the error of a key of the standard library that has another type or curve.
func unusable(key any) error {
	what := fmt.Sprintf("a key of type %T", key)
	switch k := key.(type) {
	case *rsa.PublicKey, *rsa.PrivateKey:
		what = "an RSA key"
	case *ecdsa.PublicKey:
		what = "a key on " + k.Curve.Params().Name
	}
	return fmt.Errorf("%s; %s", what, usable)
}

//phase:caller
package baseline

import (
	"crypto/x509"
	"errors"
	"fmt"

	"canonscope/compare"
	"canonscope/vcdm/keys"
)

// Trust says whose signature a verifier of files accepts.
type Trust struct {
	issuer compare.KeyFile
	roots  compare.Certificates
}

// Options are the flags of it.
func (t *Trust) Options() []compare.Option {
	return []compare.Option{
		Option("issuer-key", &t.issuer,
			"key `FILE` of the issuer or document signer, its public half is enough"),
		Option("roots", &t.roots, "PEM `FILE` of trust anchors for x5c or x5chain"),
	}
}

// Resolve returns the key or the trust anchors, one of which has to be given, and what the answer calls the
// key.
func (t *Trust) Resolve() (key *keys.Public, roots *x509.CertPool, name string, err error) {
	switch {
	case t.issuer.Path != "" && t.roots.Path != "":
		return nil, nil, "", errors.New(
			"--issuer-key says whose signature it is, and --roots whose certificate: " +
				"give one of them")
	case t.issuer.Path != "":
		return t.issuer.Public, nil, "the key of --issuer-key, " + t.issuer.Public.DID(), nil
	case t.roots.Path != "":
		if roots, err = keys.Pool(t.roots.DER...); err != nil {
			err = &compare.OptionError{Err: fmt.Errorf("%s: %w", t.roots.Path, err)}
		}
		return nil, roots, "", err
	}
	return nil, nil, "", errors.New("whose signature? give the issuer's key with --issuer-key FILE, " +
		"or trust anchors with --roots FILE")
}

// Option returns a flag.
func Option(name string, to any, usage string) compare.Option {
	return compare.Option{Name: name, Usage: usage, To: to}
}

// LossyOption is the flag that leaves out what a format has no place for.
func LossyOption(to *bool) compare.Option {
	return Option("lossy", to, "leave out what the format has no place for, and list it")
}

// HolderOption is the flag of the key that a credential is issued for, or whose secret signs a presentation.
func HolderOption(to *compare.KeyFile) compare.Option {
	usage := "key `FILE` of the holder or device, its public half is enough"
	if to.NeedsSecret {
		usage = "key `FILE` of the holder or device, with its secret"
	}
	return Option("holder-key", to, usage)
}

// CheckHolder refuses a holder's key that is not the one a credential is bound to: no verifier would accept
// what it signs.
func CheckHolder(f *compare.KeyFile, bound *keys.Public, err error) error {
	switch {
	case err != nil:
		return err
	case bound == nil:
		return errors.New("is bound to no holder's key (cnf), so that no verifier accepts a KB-JWT; " +
			"leave out --holder-key")
	case !bound.Equal(f.Public):
		return &compare.OptionError{Err: fmt.Errorf(
			"--holder-key %s: the credential is bound to another key, %s",
			f.Path, bound.DID())}
	}
	return nil
}

package catalogue

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"canonscope/canon/jsontape"
	"canonscope/schemas"
)

// filePrefix marks the name of a user's file. The rest is its absolute path, escaped so that a name holds no slash.
const filePrefix = "file:"

// IsFile tells paths and names of files from names of the catalogue.
func IsFile(name string) bool {
	return strings.HasPrefix(name, filePrefix) || strings.ContainsAny(name, `/\`) || strings.HasSuffix(name, ".json") || strings.HasSuffix(name, ".jsonld")
}

// file is a generator over one credential of the user: every document is that one.
type file struct {
	name string
	path string
	c    schemas.Credential
}

func (f *file) Name() string     { return f.name }
func (f *file) Describe() string { return "the credential in " + f.path }

// Document returns the credential, whatever the seed and the index are.
func (f *file) Document(_ uint64, i int) (*schemas.Credential, error) {
	c := f.c
	c.Index = i
	return &c, nil
}

// openFile reads a credential: an object with type, issuer and credentialSubject. Its proof is left out. A quarter of the
// members of credentialSubject is disclosed, and issuer and the date always.
func openFile(name string) (*file, error) {
	path, err := url.PathUnescape(strings.TrimPrefix(name, filePrefix))
	if !strings.HasPrefix(name, filePrefix) {
		path, err = filepath.Abs(name)
	}
	if err != nil {
		return nil, fmt.Errorf("schema %q: %w", name, err)
	}
	src, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("schema %q is no name of the catalogue and no file: %w", name, err)
	}
	f := &file{name: filePrefix + url.PathEscape(path), path: path}
	if err := f.read(src); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	f.c.Schema = f.name
	return f, nil
}

// Parse reads a credential of the user: an object with type, issuer and credentialSubject. Its proof is left out.
func Parse(src []byte) (*schemas.Credential, error) {
	var f file
	if err := f.read(src); err != nil {
		return nil, err
	}
	return &f.c, nil
}

func (f *file) read(src []byte) error {
	var t jsontape.Tape
	if err := t.Scan(src, jsontape.Options{}); err != nil {
		return err
	}
	if k := t.Key(0, "proof"); k >= 0 {
		src = t.AppendWithout(nil, 0, k)
		if err := t.Scan(src, jsontape.Options{}); err != nil {
			return err
		}
	}
	f.c.VCDM = src
	text := func(i int) string { return string(t.Text(i)) }
	types := t.Get(0, "type")
	switch {
	case types >= 0 && t.Nodes[types].Kind == jsontape.String:
		f.c.Types = []string{text(types)}
	case types >= 0 && t.Nodes[types].Kind == jsontape.Array:
		for e := range t.Elements(types) {
			if t.Nodes[e].Kind == jsontape.String {
				f.c.Types = append(f.c.Types, text(e))
			}
		}
	}
	issuer := t.Get(0, "issuer")
	if issuer >= 0 && t.Nodes[issuer].Kind == jsontape.Object {
		issuer = t.Get(issuer, "id")
	}
	subject := t.Get(0, "credentialSubject")
	switch {
	case len(f.c.Types) == 0:
		return fmt.Errorf("a credential needs a type")
	case issuer < 0 || t.Nodes[issuer].Kind != jsontape.String:
		return fmt.Errorf("a credential needs an issuer: an IRI or an object with an id")
	case subject >= 0 && t.Nodes[subject].Kind == jsontape.Array && t.Len(subject) > 0:
		return fmt.Errorf("credentialSubject is a list; a credential needs one object here, as SD-JWT VC and mdoc have one set of claims")
	case subject < 0 || t.Nodes[subject].Kind != jsontape.Object || t.Len(subject) == 0:
		return fmt.Errorf("a credential needs a credentialSubject: an object with members")
	}
	f.c.Issuer = text(issuer)
	f.c.Subject = t.Raw(subject)
	f.c.Mandatory = []string{"/issuer"}
	for _, date := range []string{"validFrom", "issuanceDate"} {
		if i := t.Get(0, date); i >= 0 && t.Nodes[i].Kind == jsontape.String {
			f.c.ValidFrom = text(i)
			f.c.Mandatory = append(f.c.Mandatory, "/"+date)
			break
		}
	}
	n := max(1, t.Len(subject)/4)
	for k := range t.Members(subject) {
		if len(f.c.Disclose) < n {
			f.c.Disclose = append(f.c.Disclose, "/credentialSubject/"+jsontape.EscapeToken(text(k)))
		}
	}
	return nil
}

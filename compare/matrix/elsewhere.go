//phase:caller
package matrix

import (
	"context"
	"slices"
	"strings"
	"time"

	"canonscope/canon"
	"canonscope/canon/jsonld"
	"canonscope/compare"
	"canonscope/compare/foreign"
	"canonscope/compare/internal/claims"
	"canonscope/compare/mdoc"
	"canonscope/schemas"
	"canonscope/vcdm/keys"
)

// elsewhere makes and times the exchanges of a cell whose engine is another program: as [compare.Preparer] of
// credentials for the gate, and as [measure.Elsewhere].
type elsewhere struct {
	*foreign.Engine
	family *family
	native compare.Preparer // of the same exchanges; nil for documents
}

// elsewhere returns what makes exchanges of a foreign engine, nil for an engine of the house. The
// canonicalizer of the cell shares its process.
func (f *family) elsewhere(
	c canon.Canonicalizer, loader jsonld.Loader, given compare.Given,
) (*elsewhere, error) {
	if !compare.Foreign(f.cell.Engine) {
		return nil, nil
	}
	e := &elsewhere{family: f}
	if shared, ok := c.(*foreign.Canonicalizer); ok {
		e.Engine = shared.Engine
	} else {
		command, err := commandOf(f.cell.Engine, given)
		if err != nil {
			return nil, err
		}
		e.Engine = foreign.New(command, loader, foreign.Limits{})
	}
	var err error
	e.native, _, err = f.second(loader)
	return e, err
}

// Prepare makes an exchange whose operations are done by the engine, one at a time. Suites that do not derive
// hand on the whole credential: to sign a selection anew is not in the libraries.
func (e preparer) Prepare(c *schemas.Credential, s compare.Scenario) (*compare.Exchange, error) {
	native, err := e.native.Prepare(c, s)
	if err != nil {
		return nil, err
	}
	do := func(op compare.Operation, input []byte) ([]byte, error) {
		t, err := e.task(op, []*schemas.Credential{c}, s)
		if err != nil {
			return nil, err
		}
		if input != nil {
			t.Inputs = [][]byte{input}
		}
		return e.Once(context.Background(), t)
	}

	steps := compare.Steps{
		Issue:   func() ([]byte, error) { return do(compare.Issue, nil) },
		Present: func(issued []byte) ([]byte, error) { return do(compare.Present, issued) },
		Verify: func(presented []byte) error {
			_, err := do(compare.Verify, presented)
			return err
		},
	}
	checks := "what the verifier of its library checks"
	if e.family.suite.Reissues {
		return compare.HandingOn(nil, checks, steps), nil
	}
	if e.family.format.Name == compare.VCDM {
		steps.Whole = native.Whole // outside the clock
	}
	return compare.Deriving(nil, checks, steps), nil
}

// preparer is elsewhere as [compare.Preparer]; its other Prepare is that of [measure.Elsewhere].
type preparer struct{ *elsewhere }

// Prepare implements [measure.Elsewhere].
func (e *elsewhere) Prepare(
	ctx context.Context, op compare.Operation, docs []*schemas.Credential, inputs [][]byte,
	s compare.Scenario,
) error {
	t, err := e.task(op, docs, s)
	if err != nil {
		return err
	}
	t.Inputs = inputs
	return e.Engine.Prepare(ctx, t)
}

// task is that of an operation on credentials of one shape.
func (e *elsewhere) task(
	op compare.Operation, docs []*schemas.Credential, s compare.Scenario,
) (*foreign.Task, error) {
	cell := &e.family.cell
	t := &foreign.Task{Operation: string(op), Suite: cell.Suite, Input: string(canon.JSON)}
	if e.family.suite.Method == canon.RDFC {
		t.Hash, t.Input = string(canon.SHA256), string(docs[0].Kind.Input())
	}
	if cell.Format == compare.Document {
		for _, c := range docs {
			t.Documents = append(t.Documents, c.VCDM)
		}
		return t, nil
	}

	t.Algorithm, t.Now = string(cell.Algorithm), s.Now.UTC().Format(time.RFC3339)
	for _, c := range docs {
		if err := e.add(t, c, s); err != nil {
			return nil, err
		}
	}
	issuer, holder, err := claims.Keys(cell.Algorithm, s)
	if err != nil {
		return nil, err
	}
	return t, e.hand(t, op, docs[0].Issuer, issuer, holder.Public())
}

// add adds a credential to a task: the document itself, or the claims that other formats sign.
func (e *elsewhere) add(t *foreign.Task, c *schemas.Credential, s compare.Scenario) error {
	if e.family.format.Documents {
		disclose := s.Disclose
		if len(disclose) == 0 {
			disclose = c.Disclose
		}
		t.Documents, t.Mandatory = append(t.Documents, c.VCDM), append(t.Mandatory, c.Mandatory)
		t.Disclose = append(t.Disclose, disclose)
		return nil
	}

	of := e.family.format.Name
	in, err := claims.Of(c, claims.Request{Format: of, Type: "type", Bare: of == compare.Mdoc, Now: s.Now,
		Limits: s.Limits}, s)
	if err != nil {
		return err
	}
	elements, err := claims.Elements(c.Subject, s.Granularity)
	if err != nil {
		return err
	}
	t.Documents, t.Elements = append(t.Documents, in.JSON), append(t.Elements, elements)
	t.Disclose = append(t.Disclose, slices.DeleteFunc(slices.Clone(elements), func(element string) bool {
		return !slices.ContainsFunc(in.Disclose, func(p string) bool {
			return element == p || strings.HasPrefix(element, p+"/")
		})
	}))
	return nil
}

// hand gives a task its keys: the secret one to issue alone.
func (e *elsewhere) hand(
	t *foreign.Task, op compare.Operation, name string, issuer *keys.Secret, holder *keys.Public,
) error {
	public := issuer.Public()
	t.Keys = &foreign.Keys{JWK: public.JWK(), Multikey: public.MultikeyJSON(), DID: public.DID(),
		Method: public.Method(), Holder: holder.JWK()}
	if op == compare.Issue {
		t.Keys.JWK, t.Keys.Multikey = issuer.JWK(), issuer.MultikeyJSON()
	}
	if e.family.format.Name != compare.Mdoc {
		return nil
	}
	var err error
	t.Keys.Certificate, err = mdoc.Certificate(public, name)
	return err
}

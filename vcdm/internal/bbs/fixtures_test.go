package bbs

import (
	"encoding/hex"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
)

// octets are bytes that a fixture writes as hexadecimal text.
type octets []byte

func (o *octets) UnmarshalText(text []byte) error {
	b, err := hex.DecodeString(string(text))
	*o = b
	return err
}

// fixtures returns the official fixtures of a draft in bbs/<draft> of the test data, by path. They are not
// part of the shared data, so that their absence is no failure.
func fixtures(t *testing.T, draft string) []string {
	dir := filepath.Join(os.Getenv("CANONSCOPE_DATA"), "bbs", draft)
	files, err := filepath.Glob(filepath.Join(dir, "*", "*", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	more, _ := filepath.Glob(filepath.Join(dir, "*", "*.json"))
	if files = append(files, more...); len(files) == 0 {
		t.Skipf("fixtures are absent: %s", dir)
	}
	return files
}

func readFixture(t *testing.T, path string, into any) (*Suite, string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(b, into)
	}
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	dir, name := filepath.Split(path)
	kind := filepath.Base(dir)
	suite := kind
	if kind == "bls12-381-sha-256" || kind == "bls12-381-shake-256" {
		kind = name
	} else {
		suite = filepath.Base(filepath.Dir(filepath.Clean(dir)))
	}
	if suite == "bls12-381-shake-256" {
		return SHAKE256, kind
	}
	return SHA256, kind
}

func equal(t *testing.T, path, what string, got, want []byte) {
	t.Helper()
	if string(got) != string(want) {
		t.Errorf("%s: %s is\n%x, want\n%x", path, what, got, want)
	}
}

// TestFixtures compares with the fixtures of draft-irtf-cfrg-bbs-signatures.
func TestFixtures(t *testing.T) {
	for _, path := range fixtures(t, "bbs") {
		var f struct {
			KeyMaterial, KeyInfo, KeyDST          octets
			KeyPair, SignerKeyPair                struct{ SecretKey, PublicKey octets }
			Message, DST, Scalar, Seed            octets
			Count                                 int
			MockedScalars                         []octets
			Cases                                 []struct{ Message, Scalar octets }
			Q1                                    octets
			MsgGenerators                         []octets
			Header, PresentationHeader, Signature octets
			SignerPublicKey, Proof                octets
			Messages                              []octets
			DisclosedIndexes                      []int
			Result                                struct{ Valid bool }
			Trace                                 struct {
				Domain        octets
				RandomScalars json.RawMessage `json:"random_scalars"`
			}
		}
		s, kind := readFixture(t, path, &f)
		messages := plain(f.Messages)
		switch kind {
		case "keypair.json":
			k, err := s.KeyGen(f.KeyMaterial, f.KeyInfo)
			if err != nil {
				t.Fatal(err)
			}
			equal(t, path, "secret key", k.Bytes(), f.KeyPair.SecretKey)
			equal(t, path, "public key", k.Public().Bytes(), f.KeyPair.PublicKey)
		case "h2s.json":
			k := s.scalar(f.Message, f.DST)
			equal(t, path, "scalar", appendScalar(nil, &k), f.Scalar)
		case "MapMessageToScalarAsHash.json":
			for _, c := range f.Cases {
				k := s.plain.messages([][]byte{c.Message})[0]
				equal(t, path, "scalar", appendScalar(nil, &k), c.Scalar)
			}
		case "generators.json":
			checkGenerators(t, path, s, append([]octets{f.Q1}, f.MsgGenerators...))
		case "mockedRng.json":
			for i, k := range s.Seeded(f.Seed, f.DST)(f.Count) {
				equal(t, path, "scalar", appendScalar(nil, &k), f.MockedScalars[i])
			}
		case "signature":
			key, err := ParseSecretKey(f.SignerKeyPair.SecretKey)
			if err != nil {
				t.Fatal(err)
			}
			public, err := ParsePublicKey(f.SignerKeyPair.PublicKey)
			if err != nil {
				t.Fatal(err)
			}
			st := &Statement{Key: public, Header: f.Header, Messages: messages}
			if err := s.Verify(st, f.Signature); (err == nil) != f.Result.Valid {
				t.Errorf("%s: verified: %v, want valid: %v", path, err, f.Result.Valid)
			}
			if f.Result.Valid {
				sig, err := s.Sign(key, f.Header, messages, nil)
				if err != nil {
					t.Fatal(err)
				}
				equal(t, path, "signature", sig, f.Signature)
			}
		case "proof":
			public, err := ParsePublicKey(f.SignerPublicKey)
			if err != nil {
				t.Fatal(err)
			}
			cl := &Claim{Key: public, Header: f.Header, Presented: f.PresentationHeader,
				Disclosed: f.DisclosedIndexes}
			for _, i := range f.DisclosedIndexes {
				cl.Messages = append(cl.Messages, messages[i])
			}
			if err := s.Check(cl, f.Proof); (err == nil) != f.Result.Valid {
				t.Errorf("%s: checked: %v, want valid: %v", path, err, f.Result.Valid)
			}
			if f.Result.Valid {
				seed := []byte("3.141592653589793238462643383279")
				st := &Statement{Key: public, Header: f.Header, Messages: messages}
				proof, _, err := s.Prove(st, f.Signature, &Presentation{Header: f.PresentationHeader,
					Disclosed: f.DisclosedIndexes,
					Random:    s.Seeded(seed, []byte(s.id+"H2G_HM2S_MOCK_RANDOM_SCALARS_DST_"))})
				if err != nil {
					t.Fatal(err)
				}
				equal(t, path, "proof", proof, f.Proof)
			}
		default:
			t.Errorf("%s: unknown kind of fixture", path)
		}
	}
}

func plain(all []octets) [][]byte {
	out := make([][]byte, len(all))
	for i, o := range all {
		out[i] = o
	}
	return out
}

func checkGenerators(t *testing.T, path string, s *Suite, want []octets) {
	g, err := s.plain.signer.take(len(want), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		equal(t, path, "generator", g[i].octets[:], want[i])
	}
}

// TestBlindFixtures compares with the fixtures of draft-irtf-cfrg-bbs-blind-signatures.
func TestBlindFixtures(t *testing.T) {
	for _, path := range fixtures(t, "blind-signatures") {
		var f struct {
			MockRngParameters struct {
				Seed          string `json:"SEED"`
				Commit, Proof struct{ DST string }
			}
			SignerKeyPair                     struct{ SecretKey, PublicKey octets }
			Header, PresentationHeader        octets
			Signature, SignerPublicKey, Proof octets
			CommittedMessages, Messages       []octets
			ProverBlind                       octets
			CommitmentWithProof               string // that of one proof is no hexadecimal text
			RevealedMessages                  map[string]octets
			RevealedCommittedMessages         map[string]octets
			L                                 int
			BP1                               octets
			Q1                                octets
			MsgGenerators                     []octets
		}
		s, kind := readFixture(t, path, &f)
		committed := plain(f.CommittedMessages)
		seed := []byte(f.MockRngParameters.Seed)
		commitment := func() []byte {
			b, err := hex.DecodeString(f.CommitmentWithProof)
			if err != nil {
				t.Fatal(err)
			}
			return b
		}
		hidden := &Hidden{Messages: committed, Blind: f.ProverBlind}
		switch kind {
		case "generators.json":
		case "commit":
			c, blind, err := s.Commit(committed, nil, s.Seeded(seed, []byte(f.MockRngParameters.Commit.DST)))
			if err != nil {
				t.Fatal(err)
			}
			equal(t, path, "commitment", c, commitment())
			equal(t, path, "blinding scalar", blind, f.ProverBlind)
		case "signature":
			key, err := ParseSecretKey(f.SignerKeyPair.SecretKey)
			if err != nil {
				t.Fatal(err)
			}
			sig, err := s.BlindSign(key, commitment(), nil, f.Header, plain(f.Messages), nil)
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			equal(t, path, "signature", sig, f.Signature)
			if len(f.ProverBlind) > 0 {
				st := &Statement{Key: key.Public(), Header: f.Header, Messages: plain(f.Messages),
					Holder: hidden}
				if err := s.Verify(st, f.Signature); err != nil {
					t.Errorf("%s: %v", path, err)
				}
			}
		case "proof":
			public, err := ParsePublicKey(f.SignerPublicKey)
			if err != nil {
				t.Fatal(err)
			}
			disclosed, messages := revealed(t, f.RevealedMessages)
			cl := &Claim{Key: public, Header: f.Header, Presented: f.PresentationHeader, Blind: true,
				Total: f.L, Disclosed: disclosed, Messages: messages}
			more, moreMessages := revealed(t, f.RevealedCommittedMessages)
			for i := range more {
				cl.Disclosed = append(cl.Disclosed, f.L+1+more[i])
				cl.Messages = append(cl.Messages, moreMessages[i])
			}
			if err := s.check(cl, Hides(len(f.Proof))+len(cl.Disclosed), f.Proof); err != nil {
				t.Errorf("%s: %v", path, err)
			}
			if len(f.ProverBlind) == 0 {
				continue // without a commitment there is nothing that bbs-2023 has a use for
			}
			all := blindMessages(t, path)
			hidden.Messages = plain(all.CommittedMessages)
			st := &Statement{Key: public, Header: f.Header, Messages: plain(all.Messages), Holder: hidden}
			proof, _, err := s.prove(st, f.Signature, &Presentation{Header: f.PresentationHeader,
				Disclosed: cl.Disclosed,
				Random:    s.Seeded(seed, []byte(f.MockRngParameters.Proof.DST))})
			if err != nil {
				t.Fatal(err)
			}
			equal(t, path, "proof", proof, f.Proof)
		default:
			t.Errorf("%s: unknown kind of fixture", path)
		}
	}
}

type messagesOfBoth struct{ Messages, CommittedMessages []octets }

// blindMessages returns what the signatures of the proofs are about.
func blindMessages(t *testing.T, path string) (all messagesOfBoth) {
	b, err := os.ReadFile(filepath.Join(filepath.Dir(path), "..", "..", "messages.json"))
	if err == nil {
		err = json.Unmarshal(b, &all)
	}
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// revealed returns indexes, ascending, and their messages.
func revealed(t *testing.T, all map[string]octets) (indexes []int, messages [][]byte) {
	at := map[int][]byte{}
	for k, m := range all {
		i, err := strconv.Atoi(k)
		if err != nil {
			t.Fatal(err)
		}
		at[i] = m
	}
	indexes = slices.Sorted(maps.Keys(at))
	for _, i := range indexes {
		messages = append(messages, at[i])
	}
	return indexes, messages
}

// TestFeatureVectors compares with the signatures, proofs and pseudonyms of the features' vectors of VC-DI-BBS
// (HolderBinding, Pseudonym and PseudonymHB of TestVectors).
func TestFeatureVectors(t *testing.T) {
	dir := filepath.Join(os.Getenv("CANONSCOPE_DATA"), "bbs", "suite")
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("vectors are absent: %s", dir)
	}
	read := func(into any, path ...string) {
		t.Helper()
		b, err := os.ReadFile(filepath.Join(append([]string{dir}, path...)...))
		if err == nil {
			err = json.Unmarshal(b, into)
		}
		if err != nil {
			t.Fatal(err)
		}
	}

	var material struct{ PrivateKeyHex octets }
	var derive struct{ PresentationHeaderHex, PseudoRandSeedHex octets }
	var holder struct{ HolderSecretHex octets }
	var prover struct{ ProverNymHex octets }
	var signer struct{ SignerNymEntropyHex octets }
	var verifier struct{ VerifierID string }
	read(&material, "BBSKeyMaterial.json")
	read(&derive, "BBSDeriveMaterial.json")
	read(&holder, "FeatureInputs", "holderSecret.json")
	read(&prover, "FeatureInputs", "proverNym.json")
	read(&signer, "FeatureInputs", "signerNymEntropy.json")
	read(&verifier, "FeatureInputs", "verifierInfo.json")
	key, err := ParseSecretKey(material.PrivateKeyHex)
	if err != nil {
		t.Fatal(err)
	}
	if len(prover.ProverNymHex) == 0 || verifier.VerifierID == "" {
		t.Fatal("the input of the features is incomplete")
	}

	for _, c := range []struct {
		folder       string
		bound, named bool
		tag          string // of the mocked scalars
	}{{"HolderBinding", true, false, SHA256.blind.id}, {"Pseudonym", false, true, SHA256.nym.id},
		{"PseudonymHB", true, true, SHA256.nym.id}} {
		var transform struct {
			NonMandatory struct{ Value [][2]any }
		}
		var base struct{ BBSSignature, BBSHeader octets }
		var info struct{ SecretProverBlind, CommitmentWithProof octets }
		var shown struct {
			BBSProof           octets
			AdjSelective       []int `json:"adjSelectiveIndexes"`
			Pseudonym          octets
			PresentationHeader map[string]int
		}
		read(&transform, c.folder, "addBaseTransform.json")
		read(&base, c.folder, "addRawBaseSignatureInfo.json")
		read(&info, c.folder, "commitmentInfo.json")
		read(&shown, c.folder, "derivedDisclosureData.json")
		var messages [][]byte
		for _, entry := range transform.NonMandatory.Value {
			messages = append(messages, []byte(entry[1].(string)))
		}

		hidden := &Hidden{Blind: info.SecretProverBlind}
		var entropy []byte
		if c.bound {
			hidden.Messages = [][]byte{holder.HolderSecretHex}
		}
		if c.named {
			entropy = signer.SignerNymEntropyHex
			hidden.Nym = &Nym{Prover: prover.ProverNymHex, Signer: entropy}
		}
		sig, err := SHA256.BlindSign(key, info.CommitmentWithProof, entropy, base.BBSHeader, messages, nil)
		if err != nil {
			t.Fatalf("%s: %v", c.folder, err)
		}
		equal(t, c.folder, "signature", sig, base.BBSSignature)

		st := &Statement{Key: key.Public(), Header: base.BBSHeader, Messages: messages, Holder: hidden}
		if err := SHA256.Verify(st, base.BBSSignature); err != nil {
			t.Errorf("%s: verify: %v", c.folder, err)
		}
		proof, pseudonym, err := SHA256.Prove(st, base.BBSSignature, &Presentation{
			Header: derive.PresentationHeaderHex, Disclosed: shown.AdjSelective,
			Domain: []byte(verifier.VerifierID),
			Random: SHA256.Seeded(derive.PseudoRandSeedHex, []byte(c.tag))})
		if err != nil {
			t.Fatal(err)
		}
		equal(t, c.folder, "proof", proof, shown.BBSProof)
		equal(t, c.folder, "pseudonym", pseudonym, shown.Pseudonym)
	}
}

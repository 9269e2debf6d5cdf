package fleet_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nkeys"

	"canonscope/compare/fleet"
)

// certificate writes a file with a certificate of this machine, which signs itself, and its key.
func certificate(t *testing.T, name string) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotAfter: time.Now().Add(time.Hour), IsCA: true,
		BasicConstraintsValid: true, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}}
	der, err := x509.CreateCertificate(rand.Reader, c, c, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return file(t, name+".pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))+
		string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})))
}

func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func pair(t *testing.T, create func() (nkeys.KeyPair, error)) (kp nkeys.KeyPair, public, seed string) {
	t.Helper()
	kp, err := create()
	if err != nil {
		t.Fatal(err)
	}
	if public, err = kp.PublicKey(); err != nil {
		t.Fatal(err)
	}
	s, err := kp.Seed()
	if err != nil {
		t.Fatal(err)
	}
	return kp, public, string(s)
}

// Users come in by password, NKey or credentials, over TLS or not, with a certificate where one is asked for; nobody
// else does.
func TestLogins(t *testing.T) {
	_, public, seed := pair(t, nkeys.CreateUser)
	_, _, stranger := pair(t, nkeys.CreateUser)
	operator, operatorKey, _ := pair(t, nkeys.CreateOperator)
	account, accountKey, _ := pair(t, nkeys.CreateAccount)
	_, systemKey, _ := pair(t, nkeys.CreateAccount)
	bare, named := jwt.NewOperatorClaims(operatorKey), jwt.NewOperatorClaims(operatorKey)
	named.SystemAccount = systemKey
	ac := jwt.NewAccountClaims(accountKey)
	ac.Limits.JetStreamLimits = jwt.JetStreamLimits{DiskStorage: -1, MemoryStorage: -1, Streams: -1, Consumer: -1}
	token := func(c interface {
		Encode(nkeys.KeyPair) (string, error)
	}, by nkeys.KeyPair) string {
		text, err := c.Encode(by)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	creds := func(by nkeys.KeyPair) string {
		_, userKey, userSeed := pair(t, nkeys.CreateUser)
		text, err := jwt.FormatUserConfig(token(jwt.NewUserClaims(userKey), by), []byte(userSeed))
		if err != nil {
			t.Fatal(err)
		}
		return file(t, "creds", string(text))
	}
	other, _, _ := pair(t, nkeys.CreateAccount)
	cert, mine := certificate(t, "server"), certificate(t, "user")

	accountFile := file(t, "account", token(ac, operator))
	o := fleet.ServerOptions{Dir: t.TempDir(), Listen: "127.0.0.1:0", Operator: file(t, "bare", token(bare, operator)), Accounts: []string{accountFile}}
	if _, err := fleet.Serve(o); err == nil || !strings.Contains(err.Error(), "account of the system") {
		t.Errorf("an operator without an account of the system: %v", err)
	}
	full := fleet.ServerOptions{Operator: file(t, "operator", token(named, operator)),
		Accounts: []string{accountFile, file(t, "system", token(jwt.NewAccountClaims(systemKey), operator))}}
	full.FillDisk()
	if _, err := fleet.Connect(t.Context(), fleet.Access{URL: serve(t, full).URL(), Login: creds(account)}, "test"); !errors.Is(err, fleet.ErrNoSpace) {
		t.Errorf("users with credentials at a full server: %v", err)
	}

	users := file(t, "users", "ann:secret\n"+public+"\n")
	ann, wrong := file(t, "ann", "ann:secret\n"), file(t, "wrong", "ann:guess")
	nkey, strange := file(t, "nkey", seed), file(t, "strange", stranger)
	for what, c := range map[string]struct {
		server  fleet.ServerOptions
		in, out []fleet.Access
	}{
		"users": {fleet.ServerOptions{Login: users}, []fleet.Access{{Login: ann}, {Login: nkey}}, []fleet.Access{{}, {Login: wrong}, {Login: strange}, {Login: users}}},
		"TLS": {fleet.ServerOptions{Login: users, Cert: cert}, []fleet.Access{{Login: ann, CA: cert}, {Login: nkey, CA: cert}},
			[]fleet.Access{{Login: ann}, {CA: cert}, {Login: ann, CA: mine}}},
		"certificates": {fleet.ServerOptions{Login: users, Cert: cert, CA: mine}, []fleet.Access{{Login: ann, CA: cert, Cert: mine}},
			[]fleet.Access{{Login: ann, CA: cert}, {Login: ann, CA: cert, Cert: cert}, {CA: cert, Cert: mine}}},
		"credentials": {fleet.ServerOptions{Operator: file(t, "operator", token(named, operator)),
			Accounts: []string{accountFile, file(t, "system", token(jwt.NewAccountClaims(systemKey), operator))}},
			[]fleet.Access{{Login: creds(account)}}, []fleet.Access{{}, {Login: creds(other)}, {Login: ann}}},
	} {
		t.Run(what, func(t *testing.T) {
			s := serve(t, c.server)
			for _, a := range c.in {
				a.URL = s.URL()
				conn, err := fleet.Connect(t.Context(), a, "test")
				if err != nil {
					t.Errorf("%+v: %v", a, err)
					continue
				}
				if _, err := conn.Status(t.Context()); err != nil {
					t.Errorf("%+v: %v", a, err)
				}
				conn.Close()
			}
			for _, a := range c.out {
				a.URL = s.URL()
				if conn, err := fleet.Connect(t.Context(), a, "test"); err == nil {
					conn.Close()
					t.Errorf("%+v is in", a)
				}
			}
		})
	}
}

// Files that say nothing, and a URL's password, are not repeated.
func TestBadLogins(t *testing.T) {
	s := serve(t, fleet.ServerOptions{})
	for _, a := range []fleet.Access{{URL: s.URL(), Login: file(t, "x", "hunter2")}, {URL: "nats://ann:hunter2@127.0.0.1:1"}} {
		if _, err := fleet.Connect(t.Context(), a, "test"); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%v", err)
		}
	}
	for _, o := range []fleet.ServerOptions{{Login: file(t, "x", "hunter2")}, {Login: file(t, "y", "")}, {Operator: "x"}, {CA: "x"}} {
		o.Dir, o.Listen = t.TempDir(), "127.0.0.1:0"
		if s, err := fleet.Serve(o); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%+v: %v", o, err)
			if err == nil {
				s.Close()
			}
		}
	}
}

CREATE TABLE account (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  email varchar(254) NOT NULL UNIQUE,
  verified boolean NOT NULL DEFAULT false,
  name varchar(80) NOT NULL,
  password_hash varchar(255) NOT NULL,
  locked boolean NOT NULL DEFAULT false,
  version integer NOT NULL DEFAULT 1,
  created timestamptz NOT NULL DEFAULT now()
);

-- Valid while `version` is that of its account.
CREATE TABLE login (
  id uuid PRIMARY KEY,
  account_id integer NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  version integer NOT NULL,
  created timestamptz NOT NULL DEFAULT now(),
  ends timestamptz NOT NULL
);

CREATE INDEX login_account ON login (account_id);
CREATE INDEX login_ends ON login (ends);

-- One refresh token of a log-in is unused. `hash` is the SHA-256, so the table cannot be used to log in.
CREATE TABLE refresh_token (
  hash char(64) PRIMARY KEY,
  login_id uuid NOT NULL REFERENCES login (id) ON DELETE CASCADE,
  used timestamptz
);

CREATE INDEX refresh_token_login ON refresh_token (login_id);

-- The links of mails for a new password, each valid while `version` is that of its account. `key_hash` is the SHA-256 of the key.
CREATE TABLE password_link (
  key_hash char(64) PRIMARY KEY,
  account_id integer NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  version integer NOT NULL,
  ends timestamptz NOT NULL
);

CREATE INDEX password_link_account ON password_link (account_id);
CREATE INDEX password_link_ends ON password_link (ends);

-- The links of mails that confirm addresses, each valid while `email` is the address of its account.
CREATE TABLE address_link (
  key_hash char(64) PRIMARY KEY,
  account_id integer NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  email varchar(254) NOT NULL,
  ends timestamptz NOT NULL
);

CREATE INDEX address_link_account ON address_link (account_id);
CREATE INDEX address_link_ends ON address_link (ends);

-- Invitations to sign up, which `account_id` has sent to `email`. `key_hash` is the SHA-256 of the key.
CREATE TABLE invitation (
  key_hash char(64) PRIMARY KEY,
  account_id integer NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  email varchar(254) NOT NULL,
  ends timestamptz NOT NULL
);

CREATE INDEX invitation_account ON invitation (account_id);
CREATE INDEX invitation_ends ON invitation (ends);
